import { MediaQuery } from "svelte/reactivity";

// As wide as the style sheets mean. What is not seen at a width is not made there: that is half of what a phone would have to do for its
// first view.

/** A phone, or a window as narrow as one. */
export const phone = new MediaQuery("max-width: 640px");
/** No room for the controls of a list beside its name. */
export const narrow = new MediaQuery("max-width: 900px");

import { MediaQuery } from "svelte/reactivity";

// The widths at which the style sheets change the page. What a width hides is not created there: on a phone that would be half of the
// work of the first view.

/** A phone, or a window as narrow as one. */
export const phone = new MediaQuery("max-width: 640px");
/** No room for the controls of a list beside its name. */
export const narrow = new MediaQuery("max-width: 900px");

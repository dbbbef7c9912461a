import { MediaQuery } from "svelte/reactivity";

// The widths at which the style sheets change the page. Components hidden at a width are not created there: on
// a phone that would be half of the work of the first view.

/** A phone, or a window as narrow as one. */
export const phone = new MediaQuery("max-width: 640px");
/** Too narrow for the controls of a list beside its title. */
export const narrow = new MediaQuery("max-width: 900px");

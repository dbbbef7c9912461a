import type { FilePages } from "../gallery/pages.svelte";
import { session } from "../session/session.svelte";

// Apart from the viewer, so that the gallery does not load it.
let lent: { files: FilePages; source: string } | null = null;

/** Leaves the list that somebody looked at to the viewer, with the address of the thumbnail that was clicked. */
export function lend(files: FilePages, source: string): void {
  lent = { files, source };
}

/** Whether the viewer needs this list; it closes it then. */
export const isLent = (files: FilePages) => lent?.files === files;

/** What was lent, once. */
export function takeLent() {
  const taken = lent;
  lent = null;
  return taken;
}

// A list that the viewer has not taken is closed.
session.onLeave((forGood) => forGood && takeLent()?.files.close());

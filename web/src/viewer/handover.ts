import type { FilePages } from "../gallery/pages.svelte";
import { session } from "../session/session.svelte";

// A separate module, so that the gallery does not load the viewer.
let handed: { files: FilePages; source: string; index: number } | null = null;

/** Passes the current list to the viewer, with the URL of the clicked thumbnail and its index. */
export function handOver(
  files: FilePages,
  source: string,
  index: number,
): void {
  handed = { files, source, index };
}

/** Whether the viewer will take over this list and is responsible for closing it. */
export const isHandedOver = (files: FilePages) => handed?.files === files;

/** Returns the list that was handed over, once; null if there is none. */
export function takeHandedOver() {
  const taken = handed;
  handed = null;
  return taken;
}

// Closes a list that the viewer has not taken.
session.onLeave((forGood) => forGood && takeHandedOver()?.files.close());

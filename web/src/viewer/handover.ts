import type { FilePages } from "../gallery/pages.svelte";
import { session } from "../session/session.svelte";

// A module of its own, so that the gallery does not load the viewer.
let handed: { files: FilePages; source: string; index: number } | null = null;

/** Hands the list that somebody came from to the viewer, with the URL of the clicked thumbnail and its index. */
export function handOver(
  files: FilePages,
  source: string,
  index: number,
): void {
  handed = { files, source, index };
}

/** Whether the viewer needs this list; it closes it then. */
export const isHandedOver = (files: FilePages) => handed?.files === files;

/** The list that was handed over, once; null without one. */
export function takeHandedOver() {
  const taken = handed;
  handed = null;
  return taken;
}

// A list that the viewer has not taken is closed.
session.onLeave((forGood) => forGood && takeHandedOver()?.files.close());

import { pixelsOf } from "../viewer/histogram";
import type { Editing } from "./editing.svelte";
import type { Operations } from "./operations";
import { previewPath } from "./preview";
import { render } from "./server";
import { propose, withoutTone, withProposal } from "./tone";

/** The document with light that suits the picture. It is asked for once, small and without its tones. */
export async function proposed(editing: Editing): Promise<Operations> {
  const { alone, image, source } = editing.level;
  const scale = Math.min(1, 256 / Math.max(source.width, source.height));
  const path = previewPath(withoutTone(alone), image, source, scale);
  const url = URL.createObjectURL(await render(path));
  try {
    const pixels = await pixelsOf(url);
    const now = editing.operations;
    return pixels ? withProposal(now, propose(pixels)) : now;
  } finally {
    URL.revokeObjectURL(url);
  }
}

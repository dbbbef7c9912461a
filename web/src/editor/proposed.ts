import { pixelsOf } from "../viewer/histogram";
import type { Editing } from "./editing.svelte";
import type { Operations } from "./operations";
import { previewPath } from "./preview";
import { render } from "./server";
import { propose, withoutTone, withProposal } from "./tone";

/** Which picture it is, among the layers too. */
const placeOf = ({ levels }: Editing) =>
  JSON.stringify(levels.map(({ image, layer }) => [image, layer?.at]));

/**
 * The document with light that suits the picture; null if another one is edited by then. It is asked for once, small and without
 * its tones.
 */
export async function proposed(editing: Editing): Promise<Operations | null> {
  const { alone, image, source } = editing.level;
  const place = placeOf(editing);
  const scale = Math.min(1, 256 / Math.max(source.width, source.height));
  const path = previewPath(withoutTone(alone), image, source, scale);
  const url = URL.createObjectURL(await render(path));
  try {
    const pixels = await pixelsOf(url);
    if (!pixels || placeOf(editing) !== place) return null;
    return withProposal(editing.operations, propose(pixels));
  } finally {
    URL.revokeObjectURL(url);
  }
}

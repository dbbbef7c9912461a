import { pixelsOf } from "../viewer/histogram";
import type { Editing } from "./editing.svelte";
import type { Operations } from "./operations";
import { previewPath } from "./preview";
import { render } from "./server";
import { propose, withoutTone, withProposal } from "./tone";

/** Identifies the edited picture, including a picture in a layer. */
const placeOf = ({ levels }: Editing) =>
  JSON.stringify(levels.map(({ image, layer }) => [image, layer?.at]));

/**
 * The document with tone values that suit the picture; null if a different picture is being edited
 * meanwhile. The picture is rendered once, small and without its tone filters.
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

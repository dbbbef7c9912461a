import { changeLayer, layersOf, type Layer } from "./layers";
import { format } from "./format";
import { type Operations, plainHeight, plainWidth } from "./operations";
import { parseLayer } from "./parse";
import { resultSize, type Size } from "./size";

/** One level of the document: the whole picture, or an image layer with operations of its own. */
export type Level = {
  /** The operations as written in the document. */
  operations: Operations;
  /**
   * The same operations with sides relative to the parent converted to pixels, so that they work
   * on their own.
   */
  alone: Operations;
  /** The image as written in the URL. */
  image: string;
  /** The size of the upright `image`, in pixels. */
  source: Size;
  /** The approximate size of the result, in pixels. */
  size: Size;
  /** The layer of this level; null for the whole picture. */
  layer: Layer | null;
};

const isCanvas = (image: string) => image.startsWith("color:");

/** The document with sides relative to the parent, of size `parent`, converted to pixels. */
export function within(o: Operations, parent: Size): Operations {
  const side = (
    pixels: number,
    of: number,
    less: number | undefined,
    percent: number | undefined,
  ) => {
    if (percent !== undefined)
      return Math.max(1, Math.round((of * percent) / 100));
    return less === undefined ? pixels : Math.max(1, Math.round(of) - less);
  };
  return {
    ...o,
    ...plainWidth,
    ...plainHeight,
    width: side(o.width, parent.width, o.fullWidth, o.percentWidth),
    height: side(o.height, parent.height, o.fullHeight, o.percentHeight),
  };
}

/**
 * The document and the open layers, outermost first. It ends before a layer that no longer exists,
 * and before a picture whose size is unknown, which `missing` names.
 */
export function levelsOf(
  root: Operations,
  image: string,
  source: Size,
  inside: readonly number[],
  sizes: Readonly<Record<string, Size>>,
): { levels: Level[]; missing: string } {
  const levels: Level[] = [
    {
      operations: root,
      alone: root,
      image,
      source,
      size: resultSize(root, source),
      layer: null,
    },
  ];
  for (const at of inside) {
    const parent = levels.at(-1)!;
    const layer = layersOf(parent.operations).find((one) => one.at === at);
    const inner =
      layer && mayEnter(layer) ? parseLayer(layer.args.path!) : null;
    if (!layer || !inner) break;
    const alone = within(inner.operations, parent.size);
    const own = isCanvas(inner.image)
      ? { width: Math.max(1, alone.width), height: Math.max(1, alone.height) }
      : sizes[inner.image];
    if (!own) return { levels, missing: inner.image };
    levels.push({
      operations: inner.operations,
      alone,
      image: inner.image,
      source: own,
      size: resultSize(alone, own),
      layer,
    });
  }
  return { levels, missing: "" };
}

/** Whether a layer can be opened: it has operations of its own. */
export const mayEnter = (layer: Layer) =>
  layer.kind === "image" || layer.kind === "color" || layer.kind === "group";

/** The whole document after the innermost level's operations are replaced. */
export function rebuild(
  levels: readonly Level[],
  operations: Operations,
): Operations {
  let now = operations;
  for (let i = levels.length - 1; i > 0; i--) {
    const { layer, image } = levels[i]!;
    now = changeLayer(levels[i - 1]!.operations, layer!, {
      path: format(now, true) + image,
    });
  }
  return now;
}

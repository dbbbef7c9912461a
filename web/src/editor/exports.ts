import { nameProblem } from "../files/names";
import type { Key } from "../messages/index.svelte";
import { endingOf } from "./ending";
import { argsOf, setFilter, turned } from "./filters";
import { focalOf, setFocal, type Point } from "./focal";
import { format } from "./format";
import { changeLayer, formatFont, layersOf, parseFont } from "./layers";
import { plainHeight, plainWidth, type Operations } from "./operations";
import { parseLayer } from "./parse";
import { cropBox, leveled, oriented, type Size } from "./size";
import { asUnit, follows, naturalPath } from "./units";

export const exportFormats = ["jpeg", "webp", "avif", "png"] as const;
/** One picture of a set: how large it is, what it is called, and how it is written. */
export type ExportSize = Size & {
  name: string;
  format: (typeof exportFormats)[number];
  /** Whether it is exported. */
  on: boolean;
};

const size = (name: string, width: number, height: number): ExportSize => ({
  name,
  width,
  height,
  format: "jpeg",
  on: true,
});
/** The sizes that are offered at first. */
export const usualSizes: readonly ExportSize[] = [
  size("story", 1080, 1920),
  size("portrait", 1080, 1350),
  size("square", 1080, 1080),
  size("link", 1200, 630),
  size("banner", 1500, 500),
];

const place = "safelight.sizes";
/** The sizes that were last used in this browser. */
export function keptSizes(): ExportSize[] {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "") as ExportSize[];
    if (kept.length && kept.every(isSize)) return kept;
  } catch {
    // nothing is kept, or it cannot be read
  }
  return usualSizes.map((one) => ({ ...one }));
}
export const keepSizes = (sizes: readonly ExportSize[]): void =>
  localStorage.setItem(place, JSON.stringify(sizes));

export const maxSide = 16_000;
const isSide = (n: unknown) =>
  Number.isInteger(n) && Number(n) >= 1 && Number(n) <= maxSide;
const isSize = (one: ExportSize) =>
  isSide(one.width) &&
  isSide(one.height) &&
  typeof one.name === "string" &&
  exportFormats.includes(one.format);

/**
 * The document at another size, which the picture fills. A crop of the same shape is kept. Otherwise the picture is cut
 * around the first of these that exists: the document's focal point, the middle of its crop, `focal`, what draws
 * attention. A picture that is fitted on a background stays whole.
 */
export function atSize(
  o: Operations,
  source: Size,
  wanted: Size,
  focal: Point | null,
): Operations {
  // In a URL, the size is that before the rotation.
  const { width, height } =
    turned(o) % 180 ? { width: wanted.height, height: wanted.width } : wanted;
  const filled = argsOf(o, "fill") !== null;
  const { left, top, right, bottom } = o.padding;
  const room = filled
    ? { width: width - left - right, height: height - top - bottom }
    : { width, height };
  const next: Operations = {
    ...setFilter(o, "proportion", null),
    ...plainWidth,
    ...plainHeight,
    width: Math.max(1, room.width),
    height: Math.max(1, room.height),
    fit: filled && o.fit ? "fit-in" : "",
    stretch: false,
  };
  const whole = leveled(o, source);
  const box = cropBox(o.crop, whole);
  const shape = (box.right - box.left) / (box.bottom - box.top);
  if (next.fit || Math.abs((shape * room.height) / room.width - 1) < 0.01)
    return next;
  const chosen = o.smart || o.hAlign !== "" || o.vAlign !== "";
  const point = focalOf(o, source) ?? (o.crop ? null : focal);
  if (!point && !o.crop) return chosen ? next : { ...next, smart: true };
  const middle = {
    x: (box.left + box.right) / 2 / whole.width,
    y: (box.top + box.bottom) / 2 / whole.height,
  };
  // A focal point refers to the picture before it is straightened, which keeps its middle.
  const upright = oriented(o, source);
  const unlevel = {
    x: 0.5 + ((middle.x - 0.5) * whole.width) / upright.width,
    y: 0.5 + ((middle.y - 0.5) * whole.height) / upright.height,
  };
  const bare = { ...next, crop: null };
  return chosen && !o.crop ? bare : setFocal(bare, point ?? unlevel);
}

/** The name of a file of a set, without its ending. */
export const fileName = (
  pattern: string,
  { name, width, height }: ExportSize,
) =>
  pattern
    .replaceAll("{size}", name)
    .replaceAll("{width}", String(width))
    .replaceAll("{height}", String(height))
    .replace(/[/\\]/g, "-")
    .trim();

/** The names of the files of a set. */
export const fileNames = (pattern: string, sizes: readonly ExportSize[]) =>
  sizes.map(
    (size) => `${fileName(pattern, size)}.${endingOf(`image/${size.format}`)}`,
  );

/** What is wrong with the names of a set, as the key of a message; null when they are good. */
export function namesProblem(
  pattern: string,
  sizes: readonly ExportSize[],
): Key | null {
  const names = fileNames(pattern, sizes);
  for (const name of [
    ...sizes.map((size) => fileName(pattern, size)),
    ...names,
  ]) {
    const problem = nameProblem(name);
    if (problem) return problem;
  }
  return new Set(names).size < names.length ? "editor.sizes.sameNames" : null;
}

/** The document with the text of its layers and groups that many percent as large. */
export function withTextOf(o: Operations, percent: number): Operations {
  if (percent === 100) return o;
  const times = (size: number) => Math.round(size * percent) / 100;
  return layersOf(o).reduce((now, layer) => {
    const { font = "", size, path = "" } = layer.args;
    if (layer.kind === "label")
      return changeLayer(now, layer, { size: String(times(Number(size))) });
    if (layer.kind === "text") {
      const old = parseFont(font);
      const larger = formatFont({ ...old, size: times(old.size) });
      return changeLayer(now, layer, { font: larger });
    }
    const inner = layer.kind === "group" ? parseLayer(path) : null;
    if (!inner) return now;
    const operations = withTextOf(inner.operations, percent);
    return changeLayer(now, layer, {
      path: format(operations, true) + inner.image,
    });
  }, o);
}

/** Whether there is text in the layers and groups of a document. */
export const hasText = (o: Operations): boolean =>
  layersOf(o).some(
    ({ kind, args }) =>
      kind === "text" ||
      kind === "label" ||
      (kind === "group" && hasText(parseLayer(args.path!)!.operations)),
  );

/** The layers that keep their size in pixels whatever the size of the picture is. */
export const stiffLayers = (o: Operations, around: Size) =>
  layersOf(o).filter(
    (layer) =>
      !layer.hidden &&
      layer.kind !== "label" &&
      layer.kind !== "group" &&
      !follows(layer, around),
  );

/**
 * The document with all layers in percent of a picture of that size. `natural` has the sizes of pictures whose layers
 * give none, by the path of `naturalPath`.
 */
export const following = (
  o: Operations,
  around: Size,
  natural: ReadonlyMap<string, Size> = new Map(),
): Operations =>
  stiffLayers(o, around).reduce((now, layer) => {
    const size = natural.get(naturalPath(layer) ?? "");
    return changeLayer(now, layer, asUnit(layer, true, around, size));
  }, o);

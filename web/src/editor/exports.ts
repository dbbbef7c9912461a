import { nameProblem } from "../files/names";
import { formatBytes } from "../messages/format";
import { t, type Key } from "../messages/index.svelte";
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
/** One picture of an export: its size, name and format. */
export type ExportSize = Size & {
  name: string;
  format: (typeof exportFormats)[number];
  /** Whether it is included in the export. */
  on: boolean;
};

const size = (name: string, width: number, height: number): ExportSize => ({
  name,
  width,
  height,
  format: "jpeg",
  on: true,
});
/** The initial list of sizes. */
export const usualSizes: readonly ExportSize[] = [
  size("story", 1080, 1920),
  size("portrait", 1080, 1350),
  size("square", 1080, 1080),
  size("link", 1200, 630),
  size("banner", 1500, 500),
];

const place = "safelight.sizes";
/** The sizes last used in this browser. */
export function keptSizes(): ExportSize[] {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "") as ExportSize[];
    if (kept.length && kept.every(isSize)) return kept;
  } catch {
    // nothing is stored, or it cannot be parsed
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
 * The document at another size, which the picture fills. A crop of the same shape is kept.
 * Otherwise the picture is cropped around the first of these that exists: the document's focal
 * point, the center of its crop, `focal`, the region that the server detects. A picture that is
 * fitted on a background stays whole.
 */
export function atSize(
  o: Operations,
  source: Size,
  wanted: Size,
  focal: Point | null,
): Operations {
  // In a URL, the size applies before the rotation.
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
  // A focal point refers to the picture before straightening, which keeps its center.
  const upright = oriented(o, source);
  const unlevel = {
    x: 0.5 + ((middle.x - 0.5) * whole.width) / upright.width,
    y: 0.5 + ((middle.y - 0.5) * whole.height) / upright.height,
  };
  const bare = { ...next, crop: null };
  return chosen && !o.crop ? bare : setFocal(bare, point ?? unlevel);
}

/** The file name of one size, without its extension. */
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

/** The file names of all sizes. */
export const fileNames = (pattern: string, sizes: readonly ExportSize[]) =>
  sizes.map(
    (size) => `${fileName(pattern, size)}.${endingOf(`image/${size.format}`)}`,
  );

/** The message key for a problem with the file names; null if they are valid. */
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

/** The total size of `n` files, or what is known of it while only some have been made. */
export function exportSum(n: number, made: readonly number[]): string {
  if (!made.length) return t("editor.sizes.sum", { n });
  const size = formatBytes(made.reduce((sum, bytes) => sum + bytes, 0));
  return made.length < n
    ? t("editor.sizes.sumSoFar", { done: made.length, n, size })
    : `${t("editor.sizes.sum", { n })}, ${size}`;
}

/** The document with the text of its layers and groups scaled to `percent`. */
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

/** Whether the layers and groups of a document contain text. */
export const hasText = (o: Operations): boolean =>
  layersOf(o).some(
    ({ kind, args }) =>
      kind === "text" ||
      kind === "label" ||
      (kind === "group" && hasText(parseLayer(args.path!)!.operations)),
  );

/** The layers whose size is in pixels and does not follow the picture's. */
export const stiffLayers = (o: Operations, around: Size) =>
  layersOf(o).filter(
    (layer) =>
      !layer.hidden &&
      layer.kind !== "label" &&
      layer.kind !== "group" &&
      !follows(layer, around),
  );

/**
 * The document with the sizes of all layers in percent of a picture of size `around`. `natural` has
 * the sizes of pictures whose layers give none, keyed by `naturalPath`.
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

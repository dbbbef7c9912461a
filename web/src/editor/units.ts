import { formatFont, parseFont, type Font, type Layer } from "./layers";
import { within } from "./nesting";
import { format } from "./format";
import {
  followsParent,
  nothing,
  plainHeight,
  plainWidth,
  type Operations,
} from "./operations";
import { parseLayer } from "./parse";
import { inUnit, percentOf, readPosition } from "./position";
import type { Size } from "./size";

const shorter = ({ width, height }: Size) => Math.min(width, height);
const tenths = (n: number) => Math.round(n * 10) / 10;

/** The size of a font on a picture of size `around`, in pixels. */
export const fontPixels = (font: Font, around: Size): number =>
  font.percent ? (font.size / 100) * shorter(around) : font.size;

/** The font with a size given in pixels, written in its existing unit. */
export const sizedFont = (font: Font, pixels: number, around: Size): Font => ({
  ...font,
  size: font.percent
    ? Math.max(0.1, percentOf(pixels, shorter(around)))
    : Math.max(4, tenths(pixels)),
});

/**
 * The document of a layer with its sides set in pixels, written in percent of the parent or in
 * pixels. A side of 0 follows from the aspect ratio.
 */
export function sized(
  o: Operations,
  { width, height }: Size,
  percent: boolean,
  around: Size,
): Operations {
  const bare = { ...o, ...plainWidth, ...plainHeight };
  const pixels = (n: number) => (n ? Math.max(1, Math.round(n)) : 0);
  if (!percent)
    return { ...bare, width: pixels(width), height: pixels(height) };
  const share = (n: number, of: number) =>
    n ? Math.max(0.01, percentOf(n, of)) : undefined;
  return {
    ...bare,
    width: 0,
    height: 0,
    percentWidth: share(width, around.width),
    percentHeight: share(height, around.height),
  };
}

/**
 * Whether the sides of this document are written in percent. True also for sides that equal the
 * parent's or are not given.
 */
export const isShare = (o: Operations): boolean =>
  followsParent(o) || (!o.width && !o.height);

/** Whether a layer scales with the picture: nothing in it is in pixels. */
export function follows(layer: Layer, around: Size): boolean {
  const { x, y, font, path, width } = layer.args;
  const placed = [
    readPosition(x!, around.width),
    readPosition(y!, around.height),
  ].every((place) => place?.percent !== false);
  if (!placed) return false;
  if (layer.kind === "text")
    return parseFont(font!).percent && !(Number(width) > 1);
  if (layer.kind === "label") return false;
  if (layer.kind === "watermark") return true;
  const inner = parseLayer(path!);
  return !inner || followsParent(inner.operations);
}

/**
 * The path for measuring the picture of a layer that gives no size; null if the layer gives one.
 * Operations that apply after the resize are omitted.
 */
export function naturalPath(layer: Layer): string | null {
  const inner = pictureOf(layer);
  if (!inner) return null;
  const { operations, image } = inner;
  if (operations.width || operations.height || followsParent(operations))
    return null;
  const filters = operations.filters.filter(
    ({ name }) => !["rotate", "proportion"].includes(name),
  );
  const { padding } = nothing();
  return format({ ...operations, padding, filters }) + image;
}
const pictureOf = ({ kind, args: { path } }: Layer) =>
  path === undefined || kind === "watermark" || kind === "group"
    ? null
    : parseLayer(path);

/**
 * The arguments of a layer converted to percent of the picture or to pixels, without changing how
 * it looks on a picture of size `around`. `natural` is the size of `naturalPath`; without it, a
 * layer that gives no size keeps none.
 */
export function asUnit(
  layer: Layer,
  percent: boolean,
  around: Size,
  natural?: Size,
): Record<string, string> {
  const { x, y, font, width } = layer.args;
  const change: Record<string, string> = {
    x: inUnit(x!, percent, around.width, false),
    y: inUnit(y!, percent, around.height, true),
  };
  if (layer.kind === "text") {
    const old = parseFont(font!);
    const pixels = fontPixels(old, around);
    change.font = formatFont(sizedFont({ ...old, percent }, pixels, around));
    change.width = wrapAs(width!, percent, around.width);
  }
  const inner = pictureOf(layer);
  if (inner) {
    const now = within(inner.operations, around);
    const written = now.width || now.height;
    // With only the width given, the picture keeps its aspect ratio.
    const box = written ? now : natural && { ...natural, height: 0 };
    if (box)
      change.path =
        format(sized(inner.operations, box, percent, around), true) +
        inner.image;
  }
  return change;
}

/** The width at which a text wraps, in pixels; 0 if it does not wrap. */
export function wrapPixels(text: string, around: number): number {
  const percent = /^(\d*\.?\d+)p$/.exec(text);
  if (percent) return (Number(percent[1]) / 100) * around;
  const full = /^f(?:ull)?(?:-(\d+))?$/.exec(text);
  if (full) return around - Number(full[1] ?? 0);
  const number = Number(text) || 0;
  return number <= 1 && text.includes(".") ? number * around : number;
}
function wrapAs(text: string, percent: boolean, around: number): string {
  const pixels = wrapPixels(text, around);
  if (!pixels) return "0";
  return percent
    ? `${percentOf(pixels, around)}p`
    : String(Math.max(2, Math.round(pixels)));
}

import { numberOf, argsOf, turned } from "./filters";
import { clamp } from "./crop";
import type { Crop, Operations } from "./operations";

export type Size = { width: number; height: number };

/** The size of the source after `orient`. */
export function oriented(o: Operations, source: Size): Size {
  return Math.abs(numberOf(o, "orient")) % 180 === 90
    ? { width: source.height, height: source.width }
    : source;
}

/** The maximum angle for straightening in either direction, in degrees. */
export const maxAngle = 45;
/** The angle by which the picture is straightened, in degrees counter-clockwise. */
export const angleOf = (o: Operations): number =>
  clamp(numberOf(o, "straighten"), -maxAngle, maxAngle);

/** The size of the source that a crop refers to: after `orient` and `straighten`. */
export const leveled = (o: Operations, source: Size): Size =>
  straightened(oriented(o, source), angleOf(o));

/** The largest part of the same shape, in whole pixels, without blank corners after a rotation by `degrees`. */
export function straightened({ width, height }: Size, degrees: number): Size {
  if (!degrees) return { width, height };
  const [sin, cos] = [
    Math.sin((Math.abs(degrees) * Math.PI) / 180),
    Math.cos((degrees * Math.PI) / 180),
  ];
  const scale = Math.min(
    width / (width * cos + height * sin),
    height / (width * sin + height * cos),
  );
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  };
}

/** Whether a crop is in fractions of the picture and not in pixels. */
export const inShares = ({ left, top, right, bottom }: Crop): boolean =>
  left < 1 && top < 1 && right <= 1 && bottom <= 1;

/** A crop in whole pixels, limited to the source. */
export function cropBox(crop: Crop | null, source: Size): Crop {
  if (!crop)
    return { left: 0, top: 0, right: source.width, bottom: source.height };
  const [w, h] = inShares(crop) ? [source.width, source.height] : [1, 1];
  const right = Math.round(crop.right * w) || source.width;
  const bottom = Math.round(crop.bottom * h) || source.height;
  return {
    left: Math.round(crop.left * w),
    top: Math.round(crop.top * h),
    right: Math.min(right, source.width),
    bottom: Math.min(bottom, source.height),
  };
}

/**
 * The approximate size of the result. The editor displays the server's own answer; this estimate
 * chooses the scale of a preview before that arrives, and ignores what `trim` cuts.
 */
export function resultSize(o: Operations, source: Size): Size {
  const box = cropBox(o.crop, leveled(o, source));
  let { width, height } = resized(o, {
    width: Math.max(1, box.right - box.left),
    height: Math.max(1, box.bottom - box.top),
  });
  if (argsOf(o, "fill")) {
    if (o.fit && !o.fit.includes("full") && o.width && o.height)
      ({ width, height } = o);
    width += o.padding.left + o.padding.right;
    height += o.padding.top + o.padding.bottom;
  }
  if (turned(o) % 180) [width, height] = [height, width];
  const percent = numberOf(o, "proportion", 0, 100);
  const share = percent <= 1 ? percent : percent / 100;
  return {
    width: Math.max(1, Math.round(width * share)),
    height: Math.max(1, Math.round(height * share)),
  };
}

function resized(o: Operations, from: Size): Size {
  let { width, height } = o;
  if (!width && !height) return from;
  if (
    o.fit.startsWith("adaptive") &&
    from.width > from.height !== width > height
  )
    [width, height] = [height, width];
  if (!o.fit) {
    if (!width)
      return { width: Math.round((from.width * height) / from.height), height };
    if (!height)
      return { width, height: Math.round((from.height * width) / from.width) };
    return { width, height };
  }
  const [x, y] = [
    width ? width / from.width : Infinity,
    height ? height / from.height : Infinity,
  ];
  const full = o.fit.includes("full");
  const scale = full
    ? Math.max(...[x, y].filter(Number.isFinite))
    : Math.min(x, y);
  const held = (full ? argsOf(o, "no_upscale") : !argsOf(o, "upscale"))
    ? Math.min(1, scale)
    : scale;
  return {
    width: Math.max(1, Math.round(from.width * held)),
    height: Math.max(1, Math.round(from.height * held)),
  };
}

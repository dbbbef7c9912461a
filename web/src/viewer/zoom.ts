export type Size = { width: number; height: number };
export type Point = { x: number; y: number };
/**
 * `scale` is CSS pixels per pixel of the picture; x and y are the offset of its center from the
 * center of the stage.
 */
export type View = Point & { scale: number };

/** The maximum scale: larger than real pixels, for looking at details. */
const closest = 4;
const clamp = (value: number, min: number, max: number) =>
  Math.min(max, Math.max(min, value));

/** The scale at which the whole picture fits; a small picture is not enlarged. */
export function fitScale(picture: Size, stage: Size): number {
  if (!picture.width || !picture.height) return 1;
  return Math.min(
    1,
    stage.width / picture.width,
    stage.height / picture.height,
  );
}

/** Limits the view: not smaller than fitting, and no edge of a large picture inside the stage. */
export function hold(view: View, picture: Size, stage: Size): View {
  const scale = clamp(view.scale, fitScale(picture, stage), closest);
  const room = {
    x: Math.max(0, (picture.width * scale - stage.width) / 2),
    y: Math.max(0, (picture.height * scale - stage.height) / 2),
  };
  return {
    scale,
    x: clamp(view.x, -room.x, room.x),
    y: clamp(view.y, -room.y, room.y),
  };
}

/** Zooms by a factor and keeps what is under `at` in place; `at` is relative to the center of the stage. */
export function zoomAt(
  view: View,
  factor: number,
  at: Point,
  picture: Size,
  stage: Size,
): View {
  const scale = clamp(view.scale * factor, fitScale(picture, stage), closest);
  const ratio = scale / view.scale;
  return hold(
    {
      scale,
      x: at.x - (at.x - view.x) * ratio,
      y: at.y - (at.y - view.y) * ratio,
    },
    picture,
    stage,
  );
}

/** The position on the picture of a point on the stage, 0 to 1 in both directions; null beside the picture. */
export function pointOn(view: View, at: Point, picture: Size): Point | null {
  const x = (at.x - view.x) / (picture.width * view.scale) + 0.5;
  const y = (at.y - view.y) / (picture.height * view.scale) + 0.5;
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null;
}

export type Source = { url: string; width: number };

/** The entries of a `srcset` with widths, smallest first. */
export function parseSrcset(text: string): Source[] {
  return [...text.matchAll(/(\S+)\s+(\d+)w(?:,|$)/g)]
    .map(([, url, width]) => ({ url: url!, width: Number(width) }))
    .sort((a, b) => a.width - b.width);
}

/** The smallest source that is sharp at a width in device pixels; the largest if none is. */
export function sourceFor(
  sources: readonly Source[],
  width: number,
): Source | undefined {
  return sources.find((source) => source.width >= width) ?? sources.at(-1);
}

/** The source that is sharp when the whole picture fits; `pixels` is the device pixel ratio. */
export const fittedSource = (
  sources: readonly Source[],
  picture: Size,
  stage: Size,
  pixels: number,
) =>
  sourceFor(
    wholeSources(sources, picture),
    Math.ceil(picture.width * fitScale(picture, stage) * pixels),
  );

/** A region of a picture in its pixels, and the scale at which it is shown, at most 1. */
export type Region = {
  left: number;
  top: number;
  right: number;
  bottom: number;
  density: number;
};

/**
 * The maximum width of a picture that is shown whole, in pixels: regions of a larger one are
 * decoded separately.
 */
export const widestWhole = 5400;

/** The sources that are shown whole. Those of a larger picture that exceed `widestWhole` are excluded. */
export const wholeSources = (sources: readonly Source[], picture: Size) =>
  picture.width * picture.height > widestWhole ** 2
    ? sources.filter(
        (source) =>
          source.width <=
          widestWhole * Math.sqrt(picture.width / picture.height),
      )
    : sources;

/** The visible region of the picture, extended on each side by `more`, a share of the stage. */
export function regionOf(
  view: View,
  picture: Size,
  stage: Size,
  pixels: number,
  more: number,
): Region {
  const edge = (offset: number, side: number, length: number) =>
    clamp(length / 2 + (side - offset) / view.scale, 0, length);
  const [x, y] = [stage.width * (0.5 + more), stage.height * (0.5 + more)];
  return {
    left: Math.floor(edge(view.x, -x, picture.width)),
    right: Math.ceil(edge(view.x, x, picture.width)),
    top: Math.floor(edge(view.y, -y, picture.height)),
    bottom: Math.ceil(edge(view.y, y, picture.height)),
    density: Math.min(1, view.scale * pixels),
  };
}

/** Whether a loaded region shows another one sharply. */
export const covers = (there: Region | null, seen: Region) =>
  there !== null &&
  there.left <= seen.left &&
  there.top <= seen.top &&
  there.right >= seen.right &&
  there.bottom >= seen.bottom &&
  there.density >= seen.density * 0.9;

export type Size = { width: number; height: number };
export type Point = { x: number; y: number };
/** `scale` is CSS pixels for each pixel of the picture; x and y are how far its middle is from the middle of the stage. */
export type View = Point & { scale: number };

/** Larger than real pixels, for looking at details. */
const closest = 4;
const clamp = (value: number, min: number, max: number) =>
  Math.min(max, Math.max(min, value));

/** The scale at which the whole picture is seen; a small picture is not enlarged. */
export function fitScale(picture: Size, stage: Size): number {
  if (!picture.width || !picture.height) return 1;
  return Math.min(
    1,
    stage.width / picture.width,
    stage.height / picture.height,
  );
}

/** Keeps the picture on the stage: no further away than fitting, and no edge of a large one inside. */
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

/** Zooms by a factor while what is under `at` stays there; `at` is measured from the middle of the stage. */
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

/** Where a point of the stage is on the picture, 0 to 1 in both directions; null beside the picture. */
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

/** The smallest source that is sharp at a width in device pixels; the largest when none is. */
export function sourceFor(
  sources: readonly Source[],
  width: number,
): Source | undefined {
  return sources.find((source) => source.width >= width) ?? sources.at(-1);
}

/** The source that is sharp while the whole picture is shown; `pixels` is the device pixel ratio. */
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

/** A part of a picture in its pixels, and how many pixels are shown for each of them, at most 1. */
export type Region = {
  left: number;
  top: number;
  right: number;
  bottom: number;
  density: number;
};

/** The widest picture that is shown whole, in pixels: a larger one is decoded in parts. */
export const widestWhole = 5400;

/** The sources of a picture that are shown whole; of a picture that is larger than that, those that are not. */
export const wholeSources = (sources: readonly Source[], picture: Size) =>
  picture.width * picture.height > widestWhole ** 2
    ? sources.filter(
        (source) =>
          source.width <=
          widestWhole * Math.sqrt(picture.width / picture.height),
      )
    : sources;

/** What is seen of the picture, with so much more on each side, in shares of the stage. */
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

/** Whether what is there shows a region sharply. */
export const covers = (there: Region | null, seen: Region) =>
  there !== null &&
  there.left <= seen.left &&
  there.top <= seen.top &&
  there.right >= seen.right &&
  there.bottom >= seen.bottom &&
  there.density >= seen.density * 0.9;

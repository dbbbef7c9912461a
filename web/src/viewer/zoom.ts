export type Size = { width: number; height: number }
export type Point = { x: number; y: number }
/** `scale` is CSS pixels for each pixel of the picture; x and y are how far its middle is from the middle of the stage. */
export type View = Point & { scale: number }

/** Larger than real pixels, for looking at details. */
const closest = 4
const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/** The scale at which the whole picture is seen; a small picture is not enlarged. */
export function fitScale(picture: Size, stage: Size): number {
  if (!picture.width || !picture.height) return 1
  return Math.min(1, stage.width / picture.width, stage.height / picture.height)
}

/** Keeps the picture on the stage: no further away than fitting, and no edge of a large one inside. */
export function hold(view: View, picture: Size, stage: Size): View {
  const scale = clamp(view.scale, fitScale(picture, stage), closest)
  const room = { x: Math.max(0, (picture.width * scale - stage.width) / 2), y: Math.max(0, (picture.height * scale - stage.height) / 2) }
  return { scale, x: clamp(view.x, -room.x, room.x), y: clamp(view.y, -room.y, room.y) }
}

/** Zooms by a factor while what is under `at` stays there; `at` is measured from the middle of the stage. */
export function zoomAt(view: View, factor: number, at: Point, picture: Size, stage: Size): View {
  const scale = clamp(view.scale * factor, fitScale(picture, stage), closest)
  const ratio = scale / view.scale
  return hold({ scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio }, picture, stage)
}

/** Where a point of the stage is on the picture, 0 to 1 in both directions; null beside the picture. */
export function pointOn(view: View, at: Point, picture: Size): Point | null {
  const x = (at.x - view.x) / (picture.width * view.scale) + 0.5
  const y = (at.y - view.y) / (picture.height * view.scale) + 0.5
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null
}

export type Source = { url: string; width: number }

/** The entries of a `srcset` with widths, smallest first. */
export function parseSrcset(text: string): Source[] {
  return [...text.matchAll(/(\S+)\s+(\d+)w(?:,|$)/g)].map(([, url, width]) => ({ url: url!, width: Number(width) })).sort((a, b) => a.width - b.width)
}

/** The smallest source that is sharp at a width in device pixels; the largest when none is. */
export function sourceFor(sources: readonly Source[], width: number): Source | undefined {
  return sources.find((source) => source.width >= width) ?? sources.at(-1)
}

import type { Point, Size } from "./zoom";

/** The `object-position` in percent that keeps a point as close to the crop's center as the picture allows. */
export function cropAround(point: Point, picture: Size, ratio: number): Point {
  const own = picture.width / picture.height;
  const along = (at: number, share: number) =>
    share >= 1
      ? 50
      : (Math.min(1 - share, Math.max(0, at - share / 2)) / (1 - share)) * 100;
  return { x: along(point.x, ratio / own), y: along(point.y, own / ratio) };
}

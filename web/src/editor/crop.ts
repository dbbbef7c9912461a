import type { Crop } from "./operations";
import type { Size } from "./size";

/** A box on the picture, in pixels. */
export type Box = { x: number; y: number; width: number; height: number };
/** The edges that a handle moves: `n`, `e`, `s`, `w` or a corner; `move` moves the whole box. */
export type Handle = "n" | "e" | "s" | "w" | "ne" | "nw" | "se" | "sw" | "move";

/** Limits a value to the range from `min` to `max`; `min` if `max` is smaller. */
export const clamp = (value: number, min: number, max: number) =>
  Math.min(Math.max(value, min), Math.max(min, max));
const smallest = 8;

/**
 * The box after dragging a handle by `dx` and `dy`. It stays within the picture and keeps `ratio`
 * (width / height) unless that is 0.
 */
export function dragBox(
  box: Box,
  handle: Handle,
  dx: number,
  dy: number,
  on: Size,
  ratio = 0,
): Box {
  if (handle === "move")
    return {
      ...box,
      x: clamp(box.x + dx, 0, on.width - box.width),
      y: clamp(box.y + dy, 0, on.height - box.height),
    };
  const [west, north] = [handle.includes("w"), handle.includes("n")];
  const across = west || handle.includes("e");
  const down = north || handle.includes("s");
  // What stays in place: the opposite edge, or the center of an axis that is not dragged.
  const right = box.x + box.width;
  const bottom = box.y + box.height;
  let width = across
    ? clamp(
        box.width + (west ? -dx : dx),
        smallest,
        west ? right : on.width - box.x,
      )
    : box.width;
  let height = down
    ? clamp(
        box.height + (north ? -dy : dy),
        smallest,
        north ? bottom : on.height - box.y,
      )
    : box.height;
  if (ratio) {
    // A corner follows the axis of the movement, as with arrow keys; if both axes move, the one that makes the
    // box larger.
    if (
      across &&
      (!down || (dx !== 0 && (dy === 0 || width / ratio >= height)))
    )
      height = width / ratio;
    else width = height * ratio;
    const room = {
      width: across ? (west ? right : on.width - box.x) : on.width,
      height: down ? (north ? bottom : on.height - box.y) : on.height,
    };
    const shrink = Math.min(1, room.width / width, room.height / height);
    width *= shrink;
    height *= shrink;
  }
  const x = across
    ? west
      ? right - width
      : box.x
    : clamp(box.x + (box.width - width) / 2, 0, on.width - width);
  const y = down
    ? north
      ? bottom - height
      : box.y
    : clamp(box.y + (box.height - height) / 2, 0, on.height - height);
  return { x, y, width, height };
}

/** The box with another aspect ratio, but the same center and area, shrunk to fit the picture. */
export function fitRatio(box: Box, ratio: number, on: Size): Box {
  const area = box.width * box.height;
  const shrink = Math.min(
    1,
    on.width / Math.sqrt(area * ratio),
    on.height / Math.sqrt(area / ratio),
  );
  const width = Math.sqrt(area * ratio) * shrink;
  const height = Math.sqrt(area / ratio) * shrink;
  return {
    x: clamp(box.x + (box.width - width) / 2, 0, on.width - width),
    y: clamp(box.y + (box.height - height) / 2, 0, on.height - height),
    width,
    height,
  };
}

/** The box of a crop in whole pixels. */
export const fromCrop = ({ left, top, right, bottom }: Crop): Box => ({
  x: left,
  y: top,
  width: right - left,
  height: bottom - top,
});

/** The box in whole pixels as a crop; null when it is the whole picture. */
export function toCrop(box: Box, on: Size) {
  const left = Math.round(box.x);
  const top = Math.round(box.y);
  const right = Math.min(on.width, Math.round(box.x + box.width));
  const bottom = Math.min(on.height, Math.round(box.y + box.height));
  return left <= 0 && top <= 0 && right >= on.width && bottom >= on.height
    ? null
    : { left: Math.max(0, left), top: Math.max(0, top), right, bottom };
}

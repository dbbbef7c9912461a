import type { Crop } from "./operations";
import type { Size } from "./size";

/** A box on the picture, in pixels. */
export type Box = { x: number; y: number; width: number; height: number };
/** Which edges are moved: `n`, `e`, `s`, `w` or a corner; `move` is the whole box. */
export type Handle = "n" | "e" | "s" | "w" | "ne" | "nw" | "se" | "sw" | "move";

/** A value, limited to `min` to `max`; `min` if `max` is less. */
export const clamp = (value: number, min: number, max: number) =>
  Math.min(Math.max(value, min), Math.max(min, max));
const smallest = 8;

/** The box after a handle was dragged by so much. It stays on the picture, and keeps its ratio (width / height) when one is given. */
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
  // What stays where it is: the other edge, or the middle of an axis that is not dragged.
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
    // A corner follows the axis that it is moved on, as arrow keys do, and of two the longer one.
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

/** The largest box of a ratio around the middle of another, no larger than the picture. */
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

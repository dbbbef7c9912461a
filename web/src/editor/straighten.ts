import { clamp } from "./crop";
import { setFilter } from "./filters";
import type { Operations } from "./operations";
import { angleOf, cropBox, inShares, leveled, type Size } from "./size";

/**
 * Straightens by an angle. A crop keeps its center on the picture's content, and its size as far as
 * there is room.
 */
export function straighten(
  o: Operations,
  angle: number,
  source: Size,
): Operations {
  const next = setFilter(o, "straighten", angle ? String(angle) : null);
  if (!o.crop || inShares(o.crop)) return next;
  const [from, to] = [leveled(o, source), leveled(next, source)];
  const { left, top, right, bottom } = cropBox(o.crop, from);
  const turn = ((angleOf(next) - angleOf(o)) * Math.PI) / 180;
  const [x, y] = [
    (left + right - from.width) / 2,
    (top + bottom - from.height) / 2,
  ];
  const shrink = Math.min(
    1,
    to.width / (right - left),
    to.height / (bottom - top),
  );
  const [width, height] = [
    Math.max(1, Math.floor((right - left) * shrink)),
    Math.max(1, Math.floor((bottom - top) * shrink)),
  ];
  const at = {
    left: Math.round(
      clamp(
        x * Math.cos(turn) + y * Math.sin(turn) + (to.width - width) / 2,
        0,
        to.width - width,
      ),
    ),
    top: Math.round(
      clamp(
        y * Math.cos(turn) - x * Math.sin(turn) + (to.height - height) / 2,
        0,
        to.height - height,
      ),
    ),
  };
  return {
    ...next,
    crop: { ...at, right: at.left + width, bottom: at.top + height },
  };
}

import type { Box } from "./crop";
import type { Size } from "./size";

/** A line that a box snapped to: `at` on axis `axis`, drawn from `from` to `to` on the other axis. */
export type Guide = { axis: "x" | "y"; at: number; from: number; to: number };
/**
 * The line of the picture that a box snapped to; null if it snapped to none of these. The box's
 * position is then written relative to it, so that it holds when sizes change.
 */
export type Side = "start" | "center" | "end" | null;
/** The result of moving a box: its movement on each axis, and what it snapped to. */
export type Snapped = {
  dx: number;
  dy: number;
  sideX: Side;
  sideY: Side;
  guides: Guide[];
};

type Line = "start" | "center" | "end";
// A line to snap to. `fits` lists the lines of the box that may snap to it; `span` is the range that the guide
// must cover.
type Target = {
  at: number;
  fits: readonly Line[];
  side: Side;
  span: [number, number];
};
const all: readonly Line[] = ["start", "center", "end"];
const edges: readonly Line[] = ["start", "end"];

const lengthOf = (box: Size, axis: "x" | "y") =>
  axis === "x" ? box.width : box.height;
const across = { x: "y", y: "x" } as const;
const share = { start: 0, center: 0.5, end: 1 } as const;
const lineOf = (box: Box, axis: "x" | "y", line: Line) =>
  box[axis] + lengthOf(box, axis) * share[line];

/**
 * All lines to snap to on an axis: edges, center and thirds of the picture, edges and centers of
 * the other boxes.
 */
function targetsOf(
  axis: "x" | "y",
  picture: Size,
  others: readonly Box[],
): Target[] {
  const length = lengthOf(picture, axis);
  const span: [number, number] = [0, lengthOf(picture, across[axis])];
  const own: Target[] = [
    { at: length / 2, fits: ["center"], side: "center", span },
    { at: 0, fits: ["start"], side: "start", span },
    { at: length, fits: ["end"], side: "end", span },
    { at: length / 2, fits: edges, side: null, span },
    { at: length / 3, fits: all, side: null, span },
    { at: (length * 2) / 3, fits: all, side: null, span },
  ];
  const theirs = others.flatMap((box): Target[] => {
    const reach: [number, number] = [
      box[across[axis]],
      lineOf(box, across[axis], "end"),
    ];
    return all.map((line) => ({
      at: lineOf(box, axis, line),
      fits: line === "center" ? ["center"] : edges,
      side: null,
      span: reach,
    }));
  });
  return [...own, ...theirs];
}

/**
 * The guides that a box touches. Those of the picture span all of it; those of other boxes reach
 * from one box to the other.
 */
function guidesOf(
  box: Box,
  axis: "x" | "y",
  lines: readonly Line[],
  picture: Size,
  others: readonly Box[],
): Guide[] {
  const reach: [number, number] = [
    box[across[axis]],
    lineOf(box, across[axis], "end"),
  ];
  const found = new Map<number, Guide>();
  for (const target of targetsOf(axis, picture, others)) {
    // A tolerance of half a pixel, because positions are whole pixels.
    if (
      !target.fits.some(
        (line) =>
          lines.includes(line) &&
          Math.abs(lineOf(box, axis, line) - target.at) <= 0.5,
      )
    )
      continue;
    const at = Math.round(target.at * 100) / 100;
    const old = found.get(at);
    found.set(at, {
      axis,
      at,
      from: Math.min(old?.from ?? Infinity, target.span[0], reach[0]),
      to: Math.max(old?.to ?? -Infinity, target.span[1], reach[1]),
    });
  }
  return [...found.values()];
}

/**
 * Moves a box by `dx` and `dy`, snapping to lines at most `near` pixels away. The picture takes
 * precedence over other boxes, then the nearest line wins.
 */
export function snapMove(
  box: Box,
  dx: number,
  dy: number,
  picture: Size,
  others: readonly Box[],
  near: number,
): Snapped {
  const one = (axis: "x" | "y", by: number): { by: number; side: Side } => {
    let best: { by: number; side: Side } = { by, side: null };
    let distance = near;
    for (const target of targetsOf(axis, picture, others)) {
      for (const line of target.fits) {
        const rest = target.at - lineOf(box, axis, line) - by;
        if (Math.abs(rest) < distance)
          [best, distance] = [
            { by: by + rest, side: target.side },
            Math.abs(rest),
          ];
      }
    }
    return best;
  };
  const [x, y] = [one("x", dx), one("y", dy)];
  // Positions are whole pixels.
  const moved = {
    ...box,
    x: box.x + Math.round(x.by),
    y: box.y + Math.round(y.by),
  };
  const touched = (axis: "x" | "y", wanted: number, got: number) =>
    wanted === got ? [] : guidesOf(moved, axis, all, picture, others);
  return {
    dx: x.by,
    dy: y.by,
    sideX: x.side,
    sideY: y.side,
    guides: [...touched("x", dx, x.by), ...touched("y", dy, y.by)],
  };
}

/** The fixed point of a box that is resized: its start, center or end on each axis. */
export type Anchor = { x: Line; y: Line };

/** The box scaled by `factor` around its anchor. */
export function grow(box: Box, factor: number, anchor: Anchor): Box {
  const place = (axis: "x" | "y") =>
    lineOf(box, axis, anchor[axis]) -
    lengthOf(box, axis) * factor * share[anchor[axis]];
  return {
    x: place("x"),
    y: place("y"),
    width: box.width * factor,
    height: box.height * factor,
  };
}

/**
 * The factor closest to `factor` at which an edge of the box reaches a line at most `near` pixels
 * away, and the guides there.
 */
export function snapResize(
  box: Box,
  factor: number,
  anchor: Anchor,
  picture: Size,
  others: readonly Box[],
  near: number,
): { factor: number; guides: Guide[] } {
  let [best, distance] = [factor, near];
  for (const axis of ["x", "y"] as const) {
    const fixed = lineOf(box, axis, anchor[axis]);
    for (const target of targetsOf(axis, picture, others)) {
      for (const line of edges) {
        // The position of the line is fixed + slope * factor.
        const slope = lengthOf(box, axis) * (share[line] - share[anchor[axis]]);
        if (!slope || !target.fits.includes(line)) continue;
        const rest = target.at - (fixed + slope * factor);
        const wanted = (target.at - fixed) / slope;
        if (wanted > 0.01 && Math.abs(rest) < distance)
          [best, distance] = [wanted, Math.abs(rest)];
      }
    }
  }
  if (best === factor) return { factor, guides: [] };
  const grown = grow(box, best, anchor);
  return {
    factor: best,
    guides: (["x", "y"] as const).flatMap((axis) =>
      guidesOf(
        grown,
        axis,
        edges.filter((line) => line !== anchor[axis]),
        picture,
        others,
      ),
    ),
  };
}

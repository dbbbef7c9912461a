/**
 * The rows of a grid. Row r contains the items from starts[r] up to, but not including, starts[r +
 * 1]; tops[r] and heights[r] are in pixels.
 */
export type Rows = {
  starts: Uint32Array;
  tops: Float64Array;
  heights: Float32Array;
  /** The left edge and width of every item, in pixels. */
  lefts: Float32Array;
  widths: Float32Array;
  /** The total height of all rows, without a gap at the end. */
  height: number;
};

export type Box = { width: number; size: number; gap: number };

/** The layout box for a window of some width: on a phone, tiles are smaller and closer together. */
export function tileBox(width: number, size: number): Box {
  const phone = width < 640;
  return {
    width,
    size: phone ? Math.round(size * 0.62) : size,
    gap: phone ? 2 : 4,
  };
}

/** The smallest and the largest ratio (width / height) of a tile: more extreme pictures are cropped. */
export const narrowest = 0.45;
export const widest = 3.6;
export const clampRatio = (ratio: number) =>
  Math.min(widest, Math.max(narrowest, ratio || 1));

/**
 * Lays out rows that fill the width, each about `size` high, in which every picture keeps its ratio
 * (width / height). The last row is not stretched.
 */
export function justify(ratios: ArrayLike<number>, box: Box): Rows {
  const rows = emptyRows(ratios.length);
  let row = 0;
  let top = 0;
  let start = 0;
  let sum = 0;
  for (let i = 0; i < ratios.length; i++) {
    sum += clampRatio(ratios[i]!);
    const room = box.width - (i - start) * box.gap;
    const last = i === ratios.length - 1;
    const exact = room / sum;
    if (exact > box.size && !last) {
      // The row is still too high. The picture that makes it low enough decides whether to break before or
      // after it.
      continue;
    }
    let end = i + 1;
    let height = exact;
    if (exact <= box.size && i > start) {
      const without = (room + box.gap) / (sum - clampRatio(ratios[i]!));
      if (without - box.size < box.size - exact && without < box.size * 1.5) {
        end = i;
        height = without;
      }
    } else if (exact > box.size) height = Math.min(exact, box.size);
    place(rows, row++, start, end, top, height, ratios, box);
    top += height + box.gap;
    if (end <= i) {
      start = i;
      sum = 0;
      i--;
    } else {
      start = end;
      sum = 0;
    }
  }
  return finish(rows, row, ratios.length, top, box.gap);
}

/**
 * Like justify, but the last row fills the width too, because other rows follow it. If it has few
 * pictures, they are redistributed together with the row before.
 */
export function justifyAll(ratios: ArrayLike<number>, box: Box): Rows {
  const rows = justify(ratios, box);
  const last = rows.tops.length - 1;
  if (last < 0) return rows;
  const end = ratios.length;
  const heightOf = (from: number, to: number) => {
    let sum = 0;
    for (let i = from; i < to; i++) sum += clampRatio(ratios[i]!);
    return (box.width - (to - from - 1) * box.gap) / sum;
  };
  const badness = (height: number) => Math.abs(Math.log(height / box.size));
  const first = Math.max(0, last - 1);
  const start = rows.starts[first]!;
  // Either one row for both, or the split whose worse row is best.
  let [split, best] = [end, badness(heightOf(start, end))];
  for (let at = start + 1; at < end; at++) {
    const worse = Math.max(
      badness(heightOf(start, at)),
      badness(heightOf(at, end)),
    );
    if (worse < best) [split, best] = [at, worse];
  }
  const height = heightOf(start, split);
  place(rows, first, start, split, rows.tops[first]!, height, ratios, box);
  let top = rows.tops[first]! + height + box.gap;
  if (split === end) return finish(rows, first + 1, end, top, box.gap);
  const rest = heightOf(split, end);
  const filled: Rows = {
    ...rows,
    starts: new Uint32Array(first + 3),
    tops: new Float64Array(first + 2),
    heights: new Float32Array(first + 2),
  };
  filled.starts.set(rows.starts.subarray(0, first + 1));
  filled.tops.set(rows.tops.subarray(0, first + 1));
  filled.heights.set(rows.heights.subarray(0, first + 1));
  place(filled, first + 1, split, end, top, rest, ratios, box);
  top += rest + box.gap;
  return finish(filled, first + 2, end, top, box.gap);
}

function place(
  rows: Rows,
  row: number,
  start: number,
  end: number,
  top: number,
  height: number,
  ratios: ArrayLike<number>,
  box: Box,
): void {
  rows.starts[row] = start;
  rows.tops[row] = top;
  rows.heights[row] = height;
  let left = 0;
  for (let i = start; i < end; i++) {
    const width = clampRatio(ratios[i]!) * height;
    rows.lefts[i] = left;
    rows.widths[i] = width;
    left += width + box.gap;
  }
}

function emptyRows(count: number): Rows {
  return {
    starts: new Uint32Array(count + 1),
    tops: new Float64Array(count),
    heights: new Float32Array(count),
    lefts: new Float32Array(count),
    widths: new Float32Array(count),
    height: 0,
  };
}

function finish(
  rows: Rows,
  row: number,
  count: number,
  top: number,
  gap: number,
): Rows {
  rows.starts[row] = count;
  return {
    ...rows,
    starts: rows.starts.subarray(0, row + 1),
    tops: rows.tops.subarray(0, row),
    heights: rows.heights.subarray(0, row),
    height: Math.max(0, top - gap),
  };
}

/** Stacks the rows of several lists, with a gap above each. */
export function stacked(
  parts: readonly { rows: Rows; above: number }[],
  gap: number,
): Rows {
  const [first] = parts;
  if (parts.length === 1 && first!.above === 0) return first!.rows;
  const join = (of: (rows: Rows) => ArrayLike<number>) =>
    parts.flatMap(({ rows }) => Array.from(of(rows)));
  const starts: number[] = [];
  const tops: number[] = [];
  let items = 0;
  let top = -gap;
  for (const { rows, above } of parts) {
    top += gap + above;
    for (const [r, at] of rows.tops.entries()) {
      starts.push(items + rows.starts[r]!);
      tops.push(top + at);
    }
    items += rows.widths.length;
    top += rows.height;
  }
  return {
    starts: Uint32Array.from([...starts, items]),
    tops: Float64Array.from(tops),
    heights: Float32Array.from(join(({ heights }) => heights)),
    lefts: Float32Array.from(join(({ lefts }) => lefts)),
    widths: Float32Array.from(join(({ widths }) => widths)),
    height: Math.max(0, top),
  };
}

/** The row that contains an item. */
export function rowOf(rows: Rows, index: number): number {
  return lastAtMost(rows.starts, index, rows.tops.length);
}

/** The last index of ascending values whose value is at most x; 0 if all are larger. */
export function lastAtMost(
  values: ArrayLike<number>,
  x: number,
  count: number,
): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle]! <= x) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

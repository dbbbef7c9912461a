import {
  clampRatio,
  justify,
  justifyAll,
  lastAtMost,
  rowOf as rowIn,
  stacked,
  type Box,
  type Rows,
} from "./layout";

/** Items from `from` up to, but not including, `to`. */
export type Range = { from: number; to: number };

/**
 * A row of a sheet: the items from `from` up to, but not including, `to`, with the left edge and
 * width of each.
 */
export type Row = Range & {
  top: number;
  height: number;
  lefts: ArrayLike<number>;
  widths: ArrayLike<number>;
};

/**
 * The positions of a list's items. Rows are computed only where they are needed, so the list may be
 * of any length.
 */
export type Sheet = {
  readonly count: number;
  readonly height: number;
  /** The row of an existing item. */
  rowOf: (index: number) => Row;
  /** The day whose heading is above the row that begins with an item; 0 if there is none. */
  dayAt?: (index: number) => number;
  /**
   * The row at a vertical position, or the nearest one above it; the first one for positions
   * above the sheet. Requires a non-empty sheet.
   */
  rowAt: (top: number) => Row;
};

/** A rectangle in pixels of the sheet. */
export type Area = { left: number; right: number; top: number; bottom: number };

/** A sheet of equal squares, as many in a row as fit at about `size`. */
export function squares(count: number, box: Box): Sheet {
  const columns = Math.max(
    1,
    Math.round((box.width + box.gap) / (box.size + box.gap)),
  );
  const side = (box.width - (columns - 1) * box.gap) / columns;
  return even(count, columns, side, side, box.gap);
}

/** A sheet with one item per row. */
export function lines(count: number, box: Box): Sheet {
  return even(count, 1, box.width, box.size, box.gap);
}

function even(
  count: number,
  columns: number,
  width: number,
  height: number,
  gap: number,
): Sheet {
  const lefts = Array.from({ length: columns }, (_, i) => i * (width + gap));
  const widths = lefts.map(() => width);
  const all = Math.ceil(count / columns);
  const row = (n: number): Row => {
    const from = Math.min(all - 1, Math.max(0, n)) * columns;
    return {
      from,
      to: Math.min(count, from + columns),
      top: (from / columns) * (height + gap),
      height,
      lefts,
      widths,
    };
  };
  return {
    count,
    height: Math.max(0, all * (height + gap) - gap),
    rowOf: (index) => row(Math.floor(index / columns)),
    rowAt: (top) => row(Math.floor((top + rounding) / (height + gap))),
  };
}

/**
 * Items per section. Each section is laid out on its own, so that new information about one only
 * shifts the others as a whole.
 */
export const sectionSize = 100;
/** The height of a day's heading above its pictures, in pixels. */
export const heading = 36;
/** The ratio assumed for a picture that is not known yet. */
export const usualRatio = 1.5;
/** The number of sections whose rows are cached. */
const keptRows = 40;

// The tolerance for rounding errors in sums of heights.
const rounding = 0.001;

/** The row at a vertical position, measured from the top of `rows`. */
export const rowAt = (rows: Rows, at: number): number =>
  lastAtMost(rows.tops, at + rounding, rows.tops.length);

/** Row `r` of `rows` as a row of the sheet, shifted to its position. */
export function rowFrom(
  { starts, tops, heights, lefts, widths }: Rows,
  r: number,
  first: number,
  top: number,
): Row {
  const [from, to] = [starts[r]!, starts[r + 1]!];
  return {
    from: first + from,
    to: first + to,
    top: top + tops[r]!,
    height: heights[r]!,
    lefts: lefts.subarray(from, to),
    widths: widths.subarray(from, to),
  };
}

/**
 * The known shapes of a list. `stamps` has a number for each section: 0 while nothing is known, and
 * a different number after each change.
 */
export type Shapes = {
  count: number;
  ratios: Float32Array;
  stamps: Uint32Array;
  /** The day of each item, 0 if unknown; null for a list without headings. */
  days?: Uint32Array | null;
};

/** A sheet whose rows fill the width and keep the pictures' ratios, with each day under a heading. */
export class Justified implements Sheet {
  readonly count: number;
  readonly height: number;
  readonly #shapes: Shapes;
  readonly #box: Box;
  readonly #stamps: Uint32Array;
  /** The index of the first item of each section, followed by the number of items. */
  readonly #starts: Uint32Array;
  readonly #heights: Float64Array;
  readonly #tops: Float64Array;
  readonly #rows: Map<number, Rows>;
  readonly #unknown: Rows;

  /** `before` is the sheet that this one replaces: unchanged sections are not laid out again. */
  constructor(shapes: Shapes, box: Box, before: Sheet | null = null) {
    this.count = shapes.count;
    this.#shapes = shapes;
    this.#box = box;
    const sections = Math.ceil(shapes.count / sectionSize);
    const same =
      before instanceof Justified &&
      before.#shapes === shapes &&
      before.count === this.count &&
      before.#box.width === box.width &&
      before.#box.size === box.size &&
      before.#box.gap === box.gap
        ? before
        : null;
    this.#unknown = same
      ? same.#unknown
      : justifyAll(new Float32Array(sectionSize).fill(usualRatio), box);
    this.#stamps = shapes.stamps.slice(0, sections);
    this.#starts = Uint32Array.from({ length: sections + 1 }, (_, s) =>
      this.#startOf(s),
    );
    this.#heights = same ? same.#heights.slice() : new Float64Array(sections);
    this.#rows = new Map(same ? same.#rows : []);
    this.#tops = new Float64Array(sections + 1);
    for (let s = 0; s < sections; s++) {
      // The first item of a section has a heading if the previous section ends with another day.
      const changed = (n: number) =>
        !same || same.#stamps[n] !== this.#stamps[n];
      const moved = (n: number) => !same || same.#starts[n] !== this.#starts[n];
      if (
        changed(s) ||
        moved(s) ||
        moved(s + 1) ||
        (shapes.days && s > 0 && changed(s - 1))
      ) {
        this.#rows.delete(s);
        this.#heights[s] = this.#section(s).height;
      }
      this.#tops[s + 1] = this.#tops[s]! + this.#heights[s]! + box.gap;
    }
    this.height = Math.max(0, this.#tops[sections]! - box.gap);
  }

  rowOf(index: number): Row {
    let s = Math.floor(index / sectionSize);
    if (index >= this.#starts[s + 1]!) s++;
    const rows = this.#section(s);
    return this.#row(s, rows, rowIn(rows, index - this.#starts[s]!));
  }

  dayAt(index: number): number {
    const { days } = this.#shapes;
    const day = days?.[index] ?? 0;
    const before = index > 0 ? days?.[index - 1] : -1;
    return before && before !== day ? day : 0;
  }

  rowAt(top: number): Row {
    const s = lastAtMost(this.#tops, top, this.#heights.length);
    const rows = this.#section(s);
    return this.#row(s, rows, rowAt(rows, top - this.#tops[s]!));
  }

  #row(s: number, rows: Rows, r: number): Row {
    return rowFrom(rows, r, this.#starts[s]!, this.#tops[s]!);
  }

  // The first item of a section. A day may begin at the end of the previous section without filling a row
  // there; its pictures are then moved to this section, with the rest of their day.
  #startOf(s: number): number {
    const { days, ratios } = this.#shapes;
    const whole = s * sectionSize;
    if (whole >= this.count) return this.count;
    if (!days || !s || !this.#stamps[s - 1] || !this.#stamps[s]) return whole;
    if (this.dayAt(whole)) return whole;
    const { width, size, gap } = this.#box;
    let room = width;
    for (let at = whole - 1; at > whole - sectionSize; at--) {
      room -= clampRatio(ratios[at]!) * size + gap;
      if (room < 0) break;
      if (this.dayAt(at)) return at;
    }
    return whole;
  }

  #section(s: number): Rows {
    const known = this.#rows.get(s);
    if (known) return known;
    const { count } = this;
    const end = this.#starts[s + 1]!;
    if (end < count && !this.#stamps[s]) return this.#unknown;
    const rows = this.#layOut(this.#starts[s]!, end);
    if (this.#rows.size >= keptRows) this.#rows.clear();
    this.#rows.set(s, rows);
    return rows;
  }

  // Lays out the rows of a section. Each day begins a new row.
  #layOut(from: number, to: number): Rows {
    const parts: { rows: Rows; above: number }[] = [];
    for (let start = from; start < to;) {
      let end = start + 1;
      while (end < to && !this.dayAt(end)) end++;
      const ratios = this.#shapes.ratios.subarray(start, end);
      let rows = justify(ratios, this.#box);
      // The next section continues the same day, as far as is known.
      if (end === to && to < this.count && rows.tops.length > 1)
        rows = justifyAll(ratios, this.#box);
      parts.push({ rows, above: this.dayAt(start) ? heading : 0 });
      start = end;
    }
    return stacked(parts, this.#box.gap);
  }
}

/** The rows that overlap the sheet between `top` and `bottom`. */
export function rowsBetween(sheet: Sheet, top: number, bottom: number): Row[] {
  const rows: Row[] = [];
  if (!sheet.count || bottom < 0 || top > sheet.height) return rows;
  for (let row = sheet.rowAt(top); ; row = sheet.rowOf(row.to)) {
    rows.push(row);
    if (row.to >= sheet.count || row.top + row.height >= bottom) return rows;
  }
}

/** The items of the rows that overlap the sheet between `top` and `bottom`. */
export function itemsBetween(sheet: Sheet, top: number, bottom: number): Range {
  const rows = rowsBetween(sheet, top, bottom);
  return { from: rows[0]?.from ?? 0, to: rows.at(-1)?.to ?? 0 };
}

/** An item and its position. `eager`: it was visible when it was created. */
export type Item = {
  i: number;
  left: number;
  top: number;
  width: number;
  height: number;
  eager: boolean;
};

/**
 * The items of a range. Items of `before` that have not moved are reused. New items above the
 * position `seen` are eager.
 */
export function placed(
  sheet: Sheet,
  { from, to }: Range,
  before: ReadonlyMap<number, Item>,
  seen: number,
): Map<number, Item> {
  const items = new Map<number, Item>();
  for (let at = from; at < to;) {
    const row = sheet.rowOf(at);
    for (const end = Math.min(row.to, to); at < end; at++) {
      const [left, width, old] = [
        row.lefts[at - row.from]!,
        row.widths[at - row.from]!,
        before.get(at),
      ];
      const same =
        old &&
        old.left === left &&
        old.top === row.top &&
        old.width === width &&
        old.height === row.height;
      items.set(
        at,
        same
          ? old
          : {
              i: at,
              left,
              top: row.top,
              width,
              height: row.height,
              eager: old?.eager ?? row.top < seen,
            },
      );
    }
  }
  return items;
}

/** A position in a list that survives new shapes: `offset` pixels below the top of an item. */
export type Place = { index: number; offset: number };

/** The vertical position of a place in a non-empty sheet. */
export const topOf = (sheet: Sheet, { index, offset }: Place) =>
  sheet.rowOf(Math.min(index, sheet.count - 1)).top + offset;

/**
 * The place at a vertical position. If that equals the position of `before`, `before` is returned:
 * while shapes are unknown, its row may begin with another item, and the item that somebody
 * returned to would be lost.
 */
export function placeAt(sheet: Sheet, top: number, before: Place): Place {
  if (before.index < sheet.count && Math.abs(topOf(sheet, before) - top) < 1)
    return before;
  const row = sheet.rowAt(top);
  return { index: row.from, offset: top - row.top };
}

/** The items that overlap a rectangle. */
export function itemsIn(sheet: Sheet, area: Area): number[] {
  const items: number[] = [];
  for (const row of rowsBetween(sheet, area.top, area.bottom)) {
    if (row.top > area.bottom || row.top + row.height < area.top) continue;
    for (let i = row.from; i < row.to; i++) {
      const left = row.lefts[i - row.from]!;
      if (left <= area.right && left + row.widths[i - row.from]! >= area.left)
        items.push(i);
    }
  }
  return items;
}

const keys = /^(Arrow(Left|Right|Up|Down)|Page(Up|Down)|Home|End)$/;

/**
 * The item that a key moves to; undefined if the key does not move. `page` is the height of the
 * window in pixels.
 */
export function step(
  sheet: Sheet,
  index: number,
  key: string,
  page: number,
): number | undefined {
  if (!keys.test(key)) return undefined;
  const within = (i: number) => Math.min(sheet.count - 1, Math.max(0, i));
  switch (key) {
    case "ArrowLeft":
      return within(index - 1);
    case "ArrowRight":
      return within(index + 1);
    case "Home":
      return 0;
    case "End":
      return sheet.count - 1;
  }
  const row = sheet.rowOf(index);
  const next = () => (row.to < sheet.count ? sheet.rowOf(row.to) : row);
  const previous = () => (row.from > 0 ? sheet.rowOf(row.from - 1) : row);
  let target;
  if (key === "ArrowUp") target = previous();
  else if (key === "ArrowDown") target = next();
  else if (key === "PageDown")
    target = further(next(), sheet.rowAt(row.top + page), 1);
  else target = further(previous(), sheet.rowAt(row.top - page), -1);
  return target.from === row.from
    ? index
    : nearest(
        target,
        row.lefts[index - row.from]! + row.widths[index - row.from]! / 2,
      );
}

const further = (a: Row, b: Row, way: 1 | -1) =>
  (b.from - a.from) * way > 0 ? b : a;

// The item of a row whose center is closest to a horizontal position.
function nearest(row: Row, middle: number): number {
  let best = 0;
  const distance = (n: number) =>
    Math.abs(row.lefts[n]! + row.widths[n]! / 2 - middle);
  for (let i = 1; i < row.to - row.from; i++)
    if (distance(i) < distance(best)) best = i;
  return row.from + best;
}

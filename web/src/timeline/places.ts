import { lastAtMost, rowOf as rowIn, type Rows } from "../gallery/layout";
import {
  rowAt,
  rowFrom,
  type Place,
  type Row,
  type Sheet,
} from "../gallery/sheet";

/** Where each part of a page begins, and where the last one ends: one more than there are parts. */
export function placesOf(heights: readonly number[]): Float64Array {
  const places = new Float64Array(heights.length + 1);
  for (const [i, height] of heights.entries())
    places[i + 1] = places[i]! + height;
  return places;
}

/** The part that a place is in; the first or the last one beyond them, 0 when there is none. */
export const partAt = (places: Float64Array, at: number): number =>
  lastAtMost(places, at, places.length - 1);

/** The part that begins at the top after scrolling to it. Browsers round where they scroll to, by less than a pixel. */
export const scrolledTo = (places: Float64Array, top: number): number =>
  partAt(places, top + 1);

/** Height above the pictures of a month, and below them. */
export const [above, below] = [48, 24];

/** A month as it is laid out. */
export type Part = { start: string; count: number; rows: Rows };

/** A place that stays when months come, go and change their heights: so many pixels below the top of a picture of a month. */
export type Anchor = { start: string; index: number; offset: number };

/** Months below each other, newest first. Their pictures are counted through. */
export class Calendar implements Sheet {
  readonly count: number;
  readonly height: number;
  /** Where each month begins, and where the last one ends. */
  readonly places: Float64Array;
  /** The number of the first picture of each month, and of all. */
  readonly counts: Float64Array;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.places = placesOf(
      parts.map(({ rows }) => above + rows.height + below),
    );
    this.counts = placesOf(parts.map(({ count }) => count));
    this.count = this.counts.at(-1)!;
    this.height = this.places.at(-1)!;
  }

  /** The month of a picture. */
  partOf(index: number): number {
    return partAt(this.counts, index);
  }

  rowOf(index: number): Row {
    const part = this.partOf(index);
    return this.#row(
      part,
      rowIn(this.#parts[part]!.rows, index - this.counts[part]!),
    );
  }

  /** As of every sheet, but the name of a month is of its first row: who went to a month stays there when the one above it changes. */
  rowAt(top: number): Row {
    const part = partAt(this.places, top);
    const within = top - this.places[part]! - above;
    const { rows, count } = this.#parts[part]!;
    if (count) return this.#row(part, rowAt(rows, Math.max(0, within)));
    return this.rowOf(Math.max(0, this.counts[part]! - 1));
  }

  #row(part: number, r: number): Row {
    return rowFrom(
      this.#parts[part]!.rows,
      r,
      this.counts[part]!,
      this.places[part]! + above,
    );
  }

  /** The anchor of a place. */
  anchorOf({ index, offset }: Place): Anchor {
    const part = this.partOf(index);
    return {
      start: this.#parts[part]!.start,
      index: index - this.counts[part]!,
      offset,
    };
  }

  /** The place of an anchor, of another calendar perhaps: in its month, or in the next older one when that is gone. */
  placeOf({ start, index, offset }: Anchor): Place {
    const part = this.#parts.findIndex(
      (one) => one.count > 0 && one.start <= start,
    );
    if (part < 0) return { index: Math.max(0, this.count - 1), offset };
    const { count, start: found } = this.#parts[part]!;
    return {
      index:
        this.counts[part]! + (found === start ? Math.min(index, count - 1) : 0),
      offset,
    };
  }
}

/** One tick of the scrubber: how long it is, from 0 to 1, and the year that begins at it. */
export type Tick = { at: number; length: number; year: string | null };

/**
 * The ticks of months, newest first, along a scrubber of a height in pixels. Years that would be printed over each other are left
 * out; a tick is as long as its month is full, on a scale on which a month of ten is still seen beside one of ten thousand.
 */
export function ticks(
  months: readonly { start: string; count: number }[],
  places: Float64Array,
  height: number,
  line: number,
): Tick[] {
  const all = places.at(-1) || 1;
  const fullest = Math.max(1, ...months.map((month) => month.count));
  let printed = -Infinity;
  let before = "";
  return months.map(({ start, count }, i) => {
    const at = places[i]! / all;
    const year = start.slice(0, 4);
    const prints =
      year !== before &&
      (at * height - printed >= line || printed === -Infinity);
    before = year;
    if (prints) printed = at * height;
    return {
      at,
      length: Math.log1p(count) / Math.log1p(fullest),
      year: prints ? year : null,
    };
  });
}

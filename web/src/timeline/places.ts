import { lastAtMost, rowOf as rowIn, type Rows } from "../gallery/layout";
import {
  rowAt,
  rowFrom,
  type Place,
  type Row,
  type Sheet,
} from "../gallery/sheet";

/** The top of each part of a page, followed by the bottom of the last one. */
export function placesOf(heights: readonly number[]): Float64Array {
  const places = new Float64Array(heights.length + 1);
  for (const [i, height] of heights.entries())
    places[i + 1] = places[i]! + height;
  return places;
}

/** The index of the part at a position; the first or last one beyond them, 0 if there is none. */
export const partAt = (places: Float64Array, at: number): number =>
  lastAtMost(places, at, places.length - 1);

/**
 * The index of the part that begins at the top after scrolling to it. Browsers round scroll
 * positions by less than a pixel.
 */
export const scrolledTo = (places: Float64Array, top: number): number =>
  partAt(places, top + 1);

/** The space above and below the pictures of a month, in pixels. */
export const [above, below] = [48, 24];

/** The layout of a month. */
export type Part = { start: string; count: number; rows: Rows };

/**
 * A position that survives changes of months and their heights: `offset` pixels below the top of a
 * picture of a month.
 */
export type Anchor = { start: string; index: number; offset: number };

/** A sheet of months, newest first. Pictures are numbered across all months. */
export class Calendar implements Sheet {
  readonly count: number;
  readonly height: number;
  /** The top of each month, followed by the bottom of the last one. */
  readonly places: Float64Array;
  /** The number of the first picture of each month, followed by the total. */
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

  /** The index of the month that contains a picture. */
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

  /**
   * As in every sheet, but the name of a month belongs to its first row: after going to a month,
   * the view stays there when the one above it changes.
   */
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

  /** The anchor of a place in this calendar. */
  anchorOf({ index, offset }: Place): Anchor {
    const part = this.partOf(index);
    return {
      start: this.#parts[part]!.start,
      index: index - this.counts[part]!,
      offset,
    };
  }

  /**
   * The place of an anchor, possibly from another calendar: in its month, or in the next older
   * one if that is gone.
   */
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

/**
 * A tick of the scrubber: its position, its length from 0 to 1, and the year that begins at it;
 * null if none does.
 */
export type Tick = { at: number; length: number; year: string | null };

/**
 * The ticks of months, newest first, along a scrubber with a height in pixels. Labels of years that
 * would overlap are omitted. The length of a tick shows the number of pictures on a scale on which
 * a month of ten is still visible beside one of ten thousand.
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

import { request } from "../api/request";
import type { FileFilter } from "../api/graphql";
import { justify, type Box, type Rows } from "../gallery/layout";
import { FilePages, type Tile } from "../gallery/pages.svelte";
import { withoutTemplates } from "../gallery/query";
import { usualRatio } from "../gallery/sheet";
import { isHandedOver } from "../viewer/handover";
import { TimelineMonths } from "./documents";

/** The number of pictures of a month that are reloaded at once after a change. */
const farthest = 300;

type Span = { start: string; end: string; count: number };

/** The pictures of a month. They are loaded near the view and unloaded far away; their shapes stay. */
export class Month {
  files = $state.raw<FilePages | null>(null);
  #ratios: Float32Array;
  #made: { key: string; rows: Rows } | null = null;
  #wanted = 0; // the number of running requests for its paths

  constructor(
    readonly span: Span,
    readonly wanted: { filter: FileFilter; search: string },
  ) {
    this.#ratios = new Float32Array(span.count).fill(usualRatio);
  }

  /** The number of pictures: that of the timeline, until the list itself is loaded. */
  get count(): number {
    return this.files && !this.files.loading
      ? this.files.count
      : this.#ratios.length;
  }

  /** Returns the list, and loads it if necessary. */
  open(): FilePages {
    const { start, end } = this.span;
    const { dateAfter, dateBefore } = this.wanted.filter;
    const filter = {
      ...withoutTemplates(this.wanted.filter),
      // a search may select a part of the month
      dateAfter: dateAfter && dateAfter > start ? dateAfter : start,
      dateBefore: dateBefore && dateBefore < end ? dateBefore : end,
    };
    return (this.files ??= new FilePages(
      {
        folder: "",
        recursive: true,
        filter,
        search: this.wanted.search,
        sort: "TAKEN",
        order: "DESC",
      },
      this.span.count,
    ));
  }

  /** Unloads the list because it is out of view, unless its paths are being loaded. */
  rest(): void {
    if (!this.#wanted) this.close();
  }

  /**
   * The paths of a range of its pictures; empty if they cannot all be loaded, after it is closed,
   * or if some were removed meanwhile.
   */
  async paths(from: number, to: number): Promise<string[]> {
    this.#wanted++;
    try {
      const files = this.open();
      await files.ready;
      return await files.paths(from, to);
    } finally {
      this.#wanted--;
    }
  }

  /** Unloads the list. */
  close(): void {
    const { files } = this;
    if (!files) return;
    if (!files.loading) this.#ratios = files.ratios.slice(0, files.count);
    this.files = null;
    if (!isHandedOver(files)) files.close();
  }

  at(index: number): Tile | undefined {
    return this.files?.at(index);
  }

  rows(box: Box): Rows {
    const { files, count } = this;
    const key = `${count} ${files?.loading ? "" : (files?.version ?? "")} ${box.width} ${box.size} ${box.gap}`;
    if (this.#made?.key !== key) {
      const ratios =
        files && !files.loading
          ? files.ratios.subarray(0, count)
          : this.#ratios;
      this.#made = { key, rows: justify(ratios, box) };
    }
    return this.#made.rows;
  }
}

/** Requests the months that have pictures, newest first. */
export async function askMonths(
  wanted: { filter: FileFilter; search: string },
  signal: AbortSignal,
): Promise<Month[]> {
  const { timeline } = await request(
    TimelineMonths,
    {
      filter: withoutTemplates(wanted.filter),
      search: wanted.search || null,
    },
    { signal },
  );
  return (timeline ?? []).map((span) => new Month(span, wanted));
}

/**
 * The paths of a range of pictures numbered across all months; `counts` has the number of the first
 * picture of each month. Empty if a month fails or changes meanwhile: a part would be mistaken for
 * all of it.
 */
export async function pathsBetween(
  months: readonly Month[],
  counts: Float64Array,
  from: number,
  to: number,
): Promise<string[]> {
  const paths: string[] = [];
  for (const [part, month] of months.entries()) {
    const [first, end] = [
      Math.max(from - counts[part]!, 0),
      Math.min(to, counts[part + 1]!) - counts[part]!,
    ];
    if (first >= end) continue;
    const some = await month.paths(first, end);
    if (some.length < end - first) return [];
    paths.push(...some);
  }
  return paths;
}

/**
 * Merges new months with old ones. Unchanged months are kept with their loaded pictures. Changed
 * ones, or with `all` all loaded ones, load their pictures again first.
 */
export function keepSame(
  old: readonly Month[],
  fresh: readonly Month[],
  all = false,
): Promise<Month[]> {
  const known = new Map(old.map((month) => [month.span.start, month]));
  return Promise.all(
    fresh.map(async (month) => {
      const same = known.get(month.span.start);
      if (
        same &&
        same.span.count === month.span.count &&
        same.count === month.span.count &&
        !(all && same.files)
      )
        return same;
      if (same?.files)
        month.files = await same.files.renewed(
          Math.min(same.files.count, farthest),
        );
      return month;
    }),
  );
}

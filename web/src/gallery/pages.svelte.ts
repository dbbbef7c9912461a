import { passes } from "../api/insist";
import { backoff, pauseOrOnline } from "../api/pause";
import { ApiError, request } from "../api/request";
import type {
  FileFilter,
  FileSort,
  SortOrder,
  TileFragment,
} from "../api/graphql";
import { formatAtLeast } from "../messages/format";
import { AlbumFiles, CountAlbumFiles, CountFiles, Files } from "./documents";
import { lessMotion } from "../ui/motion";
import { severalOf } from "../viewer/pages";
import { dayOf } from "./days";
import { nameOf } from "./folders.svelte";
import { noteRights } from "./rights.svelte";
import { sectionSize, usualRatio } from "./sheet";

export type Tile = TileFragment;

/** The files to list, and their order. */
export type Wanted = {
  folder: string;
  recursive: boolean;
  filter: FileFilter;
  search: string;
  sort: FileSort;
  order: SortOrder;
  /** Lists the files of this album in its order, and ignores the other fields. */
  album?: string | null;
};

/**
 * Files kept on each side of the view. Of files farther away only the ratios stay; the files are
 * loaded again when needed.
 */
const kept = 1000;
const lookAgain = 2500;
/** Above this number of matches, the server omits the count unless the exact one is requested. */
const countLimit = 1000;
const maxLooks = 20;

// With reduced motion, only the first frame of an animation is shown.
function calmed(tile: Tile): Tile {
  const { still } = tile;
  return still && severalOf(tile) === "frames"
    ? { ...tile, small: still, medium: still, large: still }
    : tile;
}

/**
 * The files of a query, loaded page by page around the view. Memory is bounded: of files far away
 * only the ratios stay, which the layout needs.
 */
export class FilePages {
  /** The number of files; until `exact`, the number known so far. */
  count = $state(0);
  /** Whether `count` is the total number of files. */
  exact = $state(true);
  /** Increases whenever `at`, `ratios`, `days` or `stamps` change. */
  version = $state(0);
  /** Whether the first page is loading. */
  loading = $state(true);
  /** The error if nothing can be shown: the first page failed to load, or the folder no longer exists. */
  failure = $state.raw<ApiError | null>(null);
  /** Whether a request failed and is being retried. Loaded files stay. */
  stalled = $state(false);
  ratios: Float32Array = new Float32Array(0);
  /** The day of each file, 0 if unknown; null for a list that is not sorted by time. */
  days: Uint32Array | null = null;
  /** A number for each section of the grid that changes with its ratios and days; 0 while they are unknown. */
  stamps: Uint32Array = new Uint32Array(0);
  /** Resolves when the first page has loaded or failed. */
  readonly ready: Promise<void>;
  /** Resolves when the total number of files has loaded too, or failed. */
  readonly counted: Promise<void>;

  #tiles = new Map<number, Tile>();
  /** The cursor of the page that begins at an index. */
  #cursors = new Map<number, string>();
  #wanted = { from: 0, to: 0 };
  #pump: Promise<void> | null = null;
  #busy = new Map<number, Promise<Tile[]>>();
  #outdated = new Set<number>(); // pages to be loaded again
  #stop = new AbortController();
  #stamp = 0;
  #gone = new Set<string>(); // removed paths: the same news comes from the answer and from the stream
  #moves = 0; // how often files were removed
  #losses = 0; // how often files were removed from unknown places
  #looks = 0;
  #begun = false; // whether the first page has loaded
  #failures = 0; // in a row
  #retrying = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `expected` is the probable number of files, used if the server omits it. */
  constructor(
    readonly wanted: Wanted,
    readonly expected = countLimit,
  ) {
    if (wanted.sort === "MODIFIED" || wanted.sort === "TAKEN")
      this.days = new Uint32Array(0);
    this.ready = this.#fetch(0).then(() => undefined);
    this.counted = this.ready.then(() => this.#countAll());
  }

  /** The number of files for display: "1,000+" while the exact one is unknown. */
  get total(): number | string {
    return this.exact ? this.count : formatAtLeast(this.count);
  }

  /** Aborts all requests. */
  close(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  /** The file at an index; undefined until it is loaded. */
  at(index: number): Tile | undefined {
    return this.#tiles.get(index);
  }

  /** Loads missing files of a range, and discards files far from it. Only the newest range is loaded. */
  need(from: number, to: number): Promise<void> {
    this.#wanted = { from, to };
    return (this.#pump ??= this.#fill().finally(() => (this.#pump = null)));
  }

  async #fill(): Promise<void> {
    await this.ready;
    for (let at = this.#lacking(); at >= 0; at = this.#lacking())
      await this.#fetch(at);
  }

  // The start of the next page to load; -1 if none is missing.
  #lacking(): number {
    if (this.failure || this.stalled || this.#stop.signal.aborted) return -1;
    const end = Math.min(this.#wanted.to, this.count);
    for (let i = this.#wanted.from; i < end; i++)
      if (!this.#tiles.has(i)) return i - (i % sectionSize);
    return -1;
  }

  /**
   * The paths of a range, which is loaded if necessary. Empty on failure, after the list is
   * closed, or if files were removed meanwhile, unless the range is the whole list: a part would
   * be mistaken for all of it.
   */
  async paths(from: number, to: number): Promise<string[]> {
    const paths: string[] = [];
    const whole = from === 0 && to >= this.count;
    const removals = this.#moves + this.#losses;
    for (
      let start = from - (from % sectionSize);
      start < to;
      start += sectionSize
    ) {
      const [first, end] = [
        Math.max(from, start),
        Math.min(to, start + sectionSize),
      ];
      const here = Array.from({ length: end - first }, (_, i) =>
        this.at(first + i),
      );
      const tiles = here.every(Boolean)
        ? here
        : (await this.#fetch(start)).slice(first - start, end - start);
      for (const tile of tiles) if (tile) paths.push(tile.path);
      if (this.failure || this.stalled || this.#stop.signal.aborted) return [];
      if (removals !== this.#moves + this.#losses)
        return whole ? this.paths(0, this.count) : [];
    }
    return paths;
  }

  /** The paths of all files. Empty if they cannot be counted, or in the cases of `paths`. */
  async all(): Promise<string[]> {
    await this.counted;
    await this.#countAll(); // retry if it failed before
    return this.exact ? this.paths(0, this.count) : [];
  }

  // Requests the exact number for a search that finds very many files. If that fails, the list grows page by
  // page.
  async #countAll(): Promise<void> {
    if (this.exact || this.#stop.signal.aborted) return;
    const moves = this.#moves;
    const total = await this.#countNow().catch(() => null);
    if (this.exact || typeof total !== "number") return;
    if (moves !== this.#moves) return this.#countAll(); // some of the counted files are gone
    this.#resize(total);
    this.exact = true;
    this.version++;
  }

  async #countNow(): Promise<number | null | undefined> {
    const { album, folder, recursive, filter, search } = this.wanted;
    const options = { signal: this.#stop.signal };
    if (album)
      return (await request(CountAlbumFiles, { id: album }, options)).album
        ?.files?.totalCount;
    const asked = { folder, recursive, filter, search: search || null };
    return (await request(CountFiles, asked, options)).files?.totalCount;
  }

  /** The index of a path among the loaded files; -1 if it is not loaded. */
  indexOf(path: string): number {
    for (const [index, tile] of this.#tiles)
      if (tile.path === path) return index;
    return -1;
  }

  /** The file with a path; undefined if it is not loaded. */
  find(path: string): Tile | undefined {
    return this.at(this.indexOf(path));
  }

  /**
   * Removes files from the list after they were moved or deleted, without a request; repeating it
   * has no effect. Returns false if one was neither loaded nor removed before: the places of the
   * others are unknown then.
   */
  remove(paths: ReadonlySet<string>): boolean {
    const here = [...this.#tiles].filter(([, tile]) => paths.has(tile.path));
    const gone = here.map(([index]) => index).sort((a, b) => a - b);
    for (const [, { path }] of here) this.#gone.add(path);
    const complete = [...paths].every((path) => this.#gone.has(path));
    if (!complete) this.#lose(paths);
    if (gone.length) this.#drop(gone);
    return complete;
  }

  /** Changes the path of a file in place. Its new position shows when the list is loaded again. */
  rename(from: string, to: string): void {
    const at = this.indexOf(from);
    const tile = this.#tiles.get(at);
    if (!tile) return;
    this.#gone.add(from);
    this.#gone.delete(to);
    this.#tiles.set(at, { ...tile, path: to, name: nameOf(to) });
    this.version++;
  }

  #lose(paths: ReadonlySet<string>): void {
    this.#losses++;
    this.#cursors.clear(); // a file that was not loaded may have preceded some of them
    for (const path of paths) this.#gone.add(path);
  }

  // Removes the files at `gone`, which is ascending.
  #drop(gone: readonly number[]): void {
    this.#moves++;
    const taken = new Set(gone);
    const before = (index: number) => {
      const n = gone.findIndex((one) => one >= index);
      return n < 0 ? gone.length : n;
    };
    const count = this.count - gone.length;
    this.#tiles = new Map(
      [...this.#tiles]
        .filter(([index]) => !taken.has(index))
        .map(([index, tile]) => [index - before(index), tile]),
    );
    for (const start of [...this.#cursors.keys()])
      if (start > gone[0]!) this.#cursors.delete(start);
    const ratios = new Float32Array(count).fill(usualRatio);
    const days = this.days && new Uint32Array(count);
    for (const [n, end] of [...gone, this.count].entries()) {
      const start = n ? gone[n - 1]! + 1 : 0;
      ratios.set(this.ratios.subarray(start, end), start - n);
      days?.set(this.days!.subarray(start, end), start - n);
    }
    const stamps = new Uint32Array(Math.ceil(count / sectionSize));
    for (let s = 0; s < stamps.length; s++) {
      const moved = (s + 1) * sectionSize > gone[0]!;
      stamps[s] = !moved
        ? this.stamps[s]!
        : this.stamps[s] || this.stamps[s + 1]
          ? ++this.#stamp
          : 0;
    }
    this.count = count;
    this.ratios = ratios;
    this.days = days;
    this.stamps = stamps;
    this.version++;
  }

  /** Reloads a file that has changed. */
  touch(path: string): void {
    const at = this.indexOf(path);
    if (at < 0) return;
    const start = at - (at % sectionSize);
    const running = this.#busy.get(start);
    if (!running) return void this.#fetch(start);
    // A running request may predate the change.
    if (this.#outdated.has(start)) return;
    this.#outdated.add(start);
    void running.then(() => {
      this.#outdated.delete(start);
      if (!this.#stop.signal.aborted) void this.#fetch(start);
    });
  }

  /**
   * A fresh copy of this list as the server has it now, loaded up to an index, to replace this
   * one. Null on failure.
   */
  async renewed(to: number): Promise<FilePages | null> {
    const next = new FilePages(this.wanted, this.expected);
    await next.counted;
    await next.need(0, to);
    if (!next.failure && !next.stalled) return next;
    next.close();
    return null;
  }

  #forget(): void {
    const { from, to } = this.#wanted;
    for (const index of this.#tiles.keys())
      if (index < from - kept || index >= to + kept) this.#tiles.delete(index);
  }

  /**
   * Loads the page that begins at `start`, the files of a section of the grid; empty on failure
   * or if the list ends before it.
   */
  #fetch(start: number): Promise<Tile[]> {
    const running = this.#busy.get(start);
    if (running) return running;
    const promise = this.#ask(start)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#fail(start, error);
        return [];
      })
      .finally(() => this.#busy.delete(start));
    this.#busy.set(start, promise);
    return promise;
  }

  #fail(start: number, error: unknown): void {
    const again = passes(error);
    this.loading = false;
    this.stalled = again;
    if (!again || !this.#begun)
      this.failure =
        error instanceof ApiError
          ? error
          : new ApiError("INTERNAL", String(error));
    if (again)
      void this.#again(start, (error as Partial<ApiError>).retryAfter ?? 0);
  }

  // Retries after an increasing delay of at least `seconds`, or when the network is back; then loads what else
  // is wanted.
  async #again(start: number, seconds: number): Promise<void> {
    if (this.#retrying) return;
    this.#retrying = true;
    await pauseOrOnline(
      Math.max(backoff(this.#failures++), seconds * 1000),
      this.#stop.signal,
    ).catch(() => undefined);
    this.#retrying = false;
    if (this.#stop.signal.aborted) return;
    const first = !this.#begun;
    await this.#fetch(start);
    if (this.stalled || this.failure) return;
    if (first) void this.#countAll();
    void this.need(this.#wanted.from, this.#wanted.to);
  }

  async #ask(start: number): Promise<Tile[]> {
    const first = !this.#begun;
    const moves = this.#moves;
    const after = this.#cursors.get(start) ?? null;
    const skip = after ? 0 : start;
    const files = await this.#page({
      first: sectionSize,
      after,
      skip,
      count: first,
      calm: lessMotion(),
    });
    if (!files) throw new ApiError("NOT_FOUND", this.wanted.folder);
    if (moves !== this.#moves) return this.#ask(start); // the positions of its files have changed
    const { pageInfo } = files;
    const nodes = files.nodes.map(calmed);
    const end = start + nodes.length;
    if (first) {
      this.exact = typeof files.totalCount === "number";
      this.#resize(files.totalCount ?? this.expected);
    }
    if (!pageInfo.hasNextPage) {
      this.exact = true;
      this.#resize(end);
    } else if (pageInfo.endCursor) this.#cursors.set(end, pageInfo.endCursor);
    if (!this.exact && end >= this.count) this.#resize(end + sectionSize);
    this.#begun = true;
    this.#failures = 0;
    this.loading = this.stalled = false;
    this.failure = null;
    noteRights(nodes);
    this.#take(start, nodes);
    return nodes;
  }

  async #page(page: {
    first: number;
    after: string | null;
    skip: number;
    count: boolean;
    calm: boolean;
  }) {
    const { album, ...wanted } = this.wanted;
    const options = { signal: this.#stop.signal };
    if (album)
      return (await request(AlbumFiles, { id: album, ...page }, options)).album
        ?.files;
    const search = wanted.search || null;
    return (await request(Files, { ...wanted, search, ...page }, options))
      .files;
  }

  #timeOf({ takenAt, modifiedAt }: Tile): string {
    return (this.wanted.sort === "TAKEN" && takenAt) || modifiedAt;
  }

  #resize(count: number): void {
    if (count === this.count) return;
    const ratios = new Float32Array(count).fill(usualRatio);
    ratios.set(this.ratios.subarray(0, count));
    const days = this.days && new Uint32Array(count);
    days?.set(this.days!.subarray(0, count));
    const stamps = new Uint32Array(Math.ceil(count / sectionSize));
    stamps.set(this.stamps.subarray(0, stamps.length));
    for (const index of this.#tiles.keys())
      if (index >= count) this.#tiles.delete(index);
    this.count = count;
    this.ratios = ratios;
    this.days = days;
    this.stamps = stamps;
  }

  // Adds a page. Pictures that the server has not analyzed yet are requested again a little later.
  #take(start: number, tiles: Tile[]): void {
    let pending = false;
    for (const [i, tile] of tiles.entries()) {
      if (start + i >= this.count) break;
      this.#tiles.set(start + i, tile);
      this.#gone.delete(tile.path); // the file is back
      this.ratios[start + i] =
        tile.width && tile.height ? tile.width / tile.height : usualRatio;
      if (this.days) this.days[start + i] = dayOf(this.#timeOf(tile));
      pending ||= tile.analysisState === "PENDING";
    }
    if (tiles.length && start < this.count)
      this.stamps[start / sectionSize] = ++this.#stamp;
    this.#forget();
    this.version++;
    if (!pending || this.#looks >= maxLooks) return;
    this.#looks++;
    this.#timer = setTimeout(() => void this.#fetch(start), lookAgain);
  }
}

import { SvelteSet } from "svelte/reactivity";

/** How a click or key selects: only this item, toggled, or everything up to here. */
export type Manner = "only" | "toggle" | "range";

/** The path of an item, or a promise of it; undefined if it cannot be loaded. */
export type Path = string | Promise<string | undefined>;

/** The manner for the modifier keys of a click or key press. */
export function mannerOf(event: {
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}): Manner {
  if (event.shiftKey) return "range";
  return event.ctrlKey || event.metaKey ? "toggle" : "only";
}

/** The inclusive range between two indexes in either order. */
export function span(a: number, b: number): { from: number; to: number } {
  return { from: Math.min(a, b), to: Math.max(a, b) + 1 };
}

/** The selected paths. The anchor is where a range begins. */
export class Selection {
  readonly paths = new SvelteSet<string>();
  #anchor: { index: number; path: string } | null = null;
  #turn = 0; // counts selections: the answer to an earlier one is discarded
  #last: string[] = []; // the paths that the last range added, so that a smaller range removes them again

  // State of a rubber band: the selection before it, the paths that it has touched, and the touched items that
  // are not loaded.
  #before: ReadonlySet<string> = new Set();
  #drawn = new Map<number, string>();
  #missing: number[] = [];

  get size(): number {
    return this.paths.size;
  }

  /**
   * The paths that dragging an item takes along: the whole selection if the item is selected,
   * else the item alone.
   */
  with(path: string): string[] {
    return this.paths.has(path) ? [...this.paths] : [path];
  }

  /**
   * Selects an item, whose path may have to be loaded, and returns the path; undefined if that
   * fails, and nothing is selected then. `between` returns the paths of a range of indexes, which
   * may have to be loaded, and `indexOf` the current index of a path, or -1: the list may have
   * changed since the range began.
   */
  async select(
    index: number,
    path: Path,
    manner: Manner,
    between: (from: number, to: number) => Promise<string[]>,
    indexOf: (path: string) => number = () => -1,
  ): Promise<void> {
    const turn = ++this.#turn;
    const item = typeof path === "string" ? path : await path;
    if (!item || turn !== this.#turn) return;
    if (manner === "range" && this.#anchor !== null) {
      const now = indexOf(this.#anchor.path);
      const { from, to } = span(now < 0 ? this.#anchor.index : now, index);
      const paths = await between(from, to);
      if (turn !== this.#turn || !paths.length) return;
      for (const old of this.#last) this.paths.delete(old);
      this.#last = paths;
      for (const one of paths) this.paths.add(one);
      return;
    }
    if (manner === "only") this.paths.clear();
    if (manner === "toggle" && this.paths.has(item)) this.paths.delete(item);
    else this.paths.add(item);
    this.#anchor = { index, path: item };
    this.#last = [item];
  }

  /** Begins a rubber band; the selection stays if `keep`. */
  begin(keep: boolean): void {
    this.#turn++;
    this.#before = keep ? new Set(this.paths) : new Set();
    this.#drawn.clear();
    this.#missing = [];
  }

  /**
   * Selects the items that the band touches and what was selected before it. A long band extends
   * over files that the list unloads meanwhile: their paths are remembered from when it touched
   * them.
   */
  draw(
    items: readonly number[],
    pathOf: (index: number) => string | undefined,
  ): void {
    const wanted = new Set(this.#before);
    this.#missing = [];
    for (const index of items) {
      const path = pathOf(index) ?? this.#drawn.get(index);
      if (path === undefined) this.#missing.push(index);
      else this.#drawn.set(index, path);
      if (path !== undefined) wanted.add(path);
    }
    for (const path of [...this.paths])
      if (!wanted.has(path)) this.paths.delete(path);
    for (const path of wanted) if (!this.paths.has(path)) this.paths.add(path);
  }

  /**
   * Ends the band: items that were not loaded when touched are requested, and selected unless the
   * selection changes first.
   */
  async end(
    between: (from: number, to: number) => Promise<string[]>,
  ): Promise<void> {
    const [missing, turn] = [this.#missing, this.#turn];
    this.#drawn.clear();
    this.#missing = [];
    for (let at = 0; at < missing.length;) {
      const from = missing[at]!;
      let to = from + 1;
      while (missing[++at] === to) to++;
      const paths = await between(from, to);
      if (turn !== this.#turn) return;
      for (const path of paths) this.paths.add(path);
    }
  }

  /** Removes a path that no longer exists. */
  drop(path: string): void {
    this.paths.delete(path);
    for (const [index, one] of this.#drawn)
      if (one === path) this.#drawn.delete(index);
    if (this.#before.has(path))
      this.#before = new Set([...this.#before].filter((one) => one !== path));
  }

  /** Selects a whole list, unless the selection changes before it is loaded. */
  async all(list: Promise<readonly string[]>): Promise<void> {
    const turn = ++this.#turn;
    const paths = await list;
    if (turn === this.#turn) for (const path of paths) this.paths.add(path);
  }

  /** Clears the selection. */
  clear(): void {
    this.#turn++;
    this.paths.clear();
    this.#anchor = null;
    this.#last = [];
  }
}

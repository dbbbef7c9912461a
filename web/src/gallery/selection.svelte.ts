import { SvelteSet } from "svelte/reactivity";

/** How a click or key selects: alone, one more or less, or all up to here. */
export type Manner = "only" | "toggle" | "range";

/** The path of an item, or its coming; undefined if it does not come. */
export type Path = string | Promise<string | undefined>;

/** The keys held during a click or key press, as a manner. */
export function mannerOf(event: {
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}): Manner {
  if (event.shiftKey) return "range";
  return event.ctrlKey || event.metaKey ? "toggle" : "only";
}

/** The indexes from one to the other, whichever is first, both included. */
export function span(a: number, b: number): { from: number; to: number } {
  return { from: Math.min(a, b), to: Math.max(a, b) + 1 };
}

/** Which paths are selected. The anchor is where a range begins. */
export class Selection {
  readonly paths = new SvelteSet<string>();
  #anchor: { index: number; path: string } | null = null;
  #turn = 0; // counts selections: an answer to an earlier one is dropped
  #last: string[] = []; // what the last range added, so that a shorter one takes it away again

  // For a rubber band: what was selected before it, the paths that it has touched, and what it touches that has not loaded.
  #before: ReadonlySet<string> = new Set();
  #drawn = new Map<number, string>();
  #missing: number[] = [];

  get size(): number {
    return this.paths.size;
  }

  /** What a drag of an item takes along: all that is selected when it is too, else it alone. */
  with(path: string): string[] {
    return this.paths.has(path) ? [...this.paths] : [path];
  }

  /**
   * Selects an item, whose path may have to be fetched; undefined if that fails, which selects nothing. `between` answers with the paths of a range of indexes, which may have to be fetched, and `indexOf` where a path is
   * now, or -1: a list may have changed since a range was begun.
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

  /** A rubber band begins, beside which what is selected stays when `keep`. */
  begin(keep: boolean): void {
    this.#turn++;
    this.#before = keep ? new Set(this.paths) : new Set();
    this.#drawn.clear();
    this.#missing = [];
  }

  /**
   * Selects the items that the band touches now, and what was selected before it. A long band goes on over files that the list lets go
   * of meanwhile: their paths are kept from when it touched them.
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

  /** The band ends: what it touched before its path was here is asked for, and selected unless something else happens first. */
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

  /** Takes away a path that there is no more. */
  drop(path: string): void {
    this.paths.delete(path);
    for (const [index, one] of this.#drawn)
      if (one === path) this.#drawn.delete(index);
    if (this.#before.has(path))
      this.#before = new Set([...this.#before].filter((one) => one !== path));
  }

  /** Selects all of a list, unless something else is selected or cleared before it has come. */
  async all(list: Promise<readonly string[]>): Promise<void> {
    const turn = ++this.#turn;
    const paths = await list;
    if (turn === this.#turn) for (const path of paths) this.paths.add(path);
  }

  /** Selects nothing. */
  clear(): void {
    this.#turn++;
    this.paths.clear();
    this.#anchor = null;
    this.#last = [];
  }
}

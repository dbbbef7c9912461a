/**
 * Whether the first answers to this tab are as new as the stream of changes that it opens meanwhile. Each answer of GraphQL
 * names the position in the sequence of changes at which it was begun, and so does `RELOAD`, with which a stream begins. If
 * all answers so far have the same position as it, nothing was missed, and no list needs to be asked for again. That holds
 * for the first stream alone: while there was none, other programs may have changed what the server has not looked at since.
 */
export class Positions {
  /** The position of all answers so far; null if they differ, undefined if there was none. */
  #answers: string | null | undefined;
  readonly #underWay = new Set<symbol>();
  #asked = false;
  /** The reload that was left out, and the requests that were under way then. */
  #left: { position: string; underWay: ReadonlySet<symbol> } | null = null;
  readonly #listeners = new Set<() => void>();

  /** Notes that a request is sent. The returned function notes its answer: the position, or null if it has none. */
  sent(): (position: string | null) => void {
    const request = Symbol();
    this.#underWay.add(request);
    return (position) => {
      this.#underWay.delete(request);
      if (!position) return;
      this.#answers =
        this.#answers === undefined || this.#answers === position
          ? position
          : null;
      if (
        !this.#left?.underWay.has(request) ||
        position === this.#left.position
      )
        return;
      this.#left = null;
      for (const listener of this.#listeners) listener();
    };
  }

  /** Reports whether a reload at a position can be left out, as only the first one can. */
  current(position: string): boolean {
    const first = !this.#asked;
    this.#asked = true;
    if (!first) return false;
    if (this.#answers !== undefined && this.#answers !== position) return false;
    this.#left = { position, underWay: new Set(this.#underWay) };
    return true;
  }

  /** Calls `listener` when a reload that was left out is needed after all, until the returned function is called. */
  whenMissed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

export const positions = new Positions();

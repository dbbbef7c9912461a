/**
 * Decides whether the first responses to this tab are as new as the stream of changes that it opens
 * meanwhile. Each GraphQL response names the position in the sequence of changes at which its
 * execution began, and so does `RELOAD`, the first event of a stream. If all responses so far have
 * the same position as that event, no change was missed, and no list needs to be reloaded. This
 * holds only for the first stream: while there was none, other programs may have changed files that
 * the server has not noticed since.
 */
export class Positions {
  /** The position of all responses so far; null if they differ, undefined if there was none. */
  #answers: string | null | undefined;
  readonly #underWay = new Set<symbol>();
  #asked = false;
  /** The skipped reload, and the requests that were pending then. */
  #left: { position: string; underWay: ReadonlySet<symbol> } | null = null;
  readonly #listeners = new Set<() => void>();

  /**
   * Records that a request is sent. Calling the returned function records the position of its
   * response; null if it has none.
   */
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

  /** Returns whether a reload at a position can be skipped. Only the first one can. */
  current(position: string): boolean {
    const first = !this.#asked;
    this.#asked = true;
    if (!first) return false;
    if (this.#answers !== undefined && this.#answers !== position) return false;
    this.#left = { position, underWay: new Set(this.#underWay) };
    return true;
  }

  /** Calls `listener` when a skipped reload turns out to be needed, until the returned function is called. */
  whenMissed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

export const positions = new Positions();

import { SvelteMap } from "svelte/reactivity";
import { measure } from "./server";
import type { Size } from "./size";

/** The sizes of the results of paths, each of which is requested once. */
export class Sizes {
  readonly #known = new SvelteMap<string, Size | null>();
  readonly #asked = new Set<string>();
  readonly #stop = new AbortController();

  /** The size of a path's result; null if the server cannot give one, undefined until it has answered. */
  of(path: string): Size | null | undefined {
    return this.#known.get(path);
  }

  /** Requests the unknown sizes. A failed request is repeated by the next call. */
  ask(paths: readonly string[]): void {
    for (const path of paths) {
      if (this.#asked.has(path)) continue;
      this.#asked.add(path);
      measure(path, this.#stop.signal).then(
        (size) => this.#known.set(path, size),
        () => {
          this.#asked.delete(path);
          this.#known.set(path, null);
        },
      );
    }
  }

  /** Aborts running requests. */
  close(): void {
    this.#stop.abort();
  }
}

import { SvelteMap } from "svelte/reactivity";
import { measure } from "./server";
import type { Size } from "./size";

/** How large the results of paths are, which the server is asked for once. */
export class Sizes {
  readonly #known = new SvelteMap<string, Size | null>();
  readonly #asked = new Set<string>();
  readonly #stop = new AbortController();

  /** The size of a path; null if the server does not say one, undefined while its answer is not here. */
  of(path: string): Size | null | undefined {
    return this.#known.get(path);
  }

  /** Asks for the sizes that are not known. One that fails is asked for again next time. */
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

  /** Stops what is under way. */
  close(): void {
    this.#stop.abort();
  }
}

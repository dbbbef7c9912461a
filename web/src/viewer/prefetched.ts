import type { Source } from "./zoom";

/** Answers and decoded pictures that were fetched ahead, the newest `max` of them. */
export class Prefetched<T> {
  readonly #kept = new Map<
    string,
    { value: T; image: HTMLImageElement | null }
  >();

  constructor(readonly max = 4) {}

  get(key: string): T | undefined {
    return this.#kept.get(key)?.value;
  }

  /** Keeps an answer, and decodes the picture that will be shown of it. */
  keep(key: string, value: T, source: Source | undefined): Promise<void> {
    const before = this.#kept.get(key);
    const image = source
      ? before?.image?.getAttribute("src") === source.url
        ? before.image
        : Object.assign(new Image(), { src: source.url })
      : null;
    this.#kept.delete(key);
    this.#kept.set(key, { value, image });
    for (const [oldest] of this.#kept)
      if (this.#kept.size > this.max) this.#kept.delete(oldest);
    return image ? image.decode().catch(() => undefined) : Promise.resolve();
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }

  clear(): void {
    this.#kept.clear();
  }
}

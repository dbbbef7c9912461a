import type { Source } from "./zoom";

/** Prefetched responses and decoded pictures; the newest `max` are kept. */
export class Prefetched<T> {
  readonly #kept = new Map<
    string,
    { value: T; image: HTMLImageElement | null }
  >();

  constructor(readonly max = 4) {}

  get(key: string): T | undefined {
    return this.#kept.get(key)?.value;
  }

  /** Stores a response, and decodes the picture that it will show. */
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

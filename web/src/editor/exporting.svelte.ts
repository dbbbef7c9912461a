import { SvelteMap } from "svelte/reactivity";
import { backoff, pauseOrOnline } from "../api/pause";
import type { ApiError } from "../api/request";
import { freeBlob } from "../ui/blobs";
import { render } from "./server";

/** A rendered file and its `blob:` URL. */
export type Rendered = { blob: Blob; url: string };

/**
 * Renders the wanted paths one after the other, so that an export takes only one of the server's
 * workers. Results that are no longer wanted are freed.
 */
export class Exporting {
  readonly #results = new SvelteMap<string, Rendered | Error>();
  #wanted: readonly string[] = [];
  #running: { path: string; stop: AbortController } | null = null;
  #failures = 0; // in a row

  /** The result of a path, or its error; undefined while it is being rendered. */
  of(path: string): Rendered | Error | undefined {
    return this.#results.get(path);
  }

  /** Replaces the wanted paths. */
  want(paths: readonly string[]): void {
    this.#wanted = [...paths];
    for (const path of [...this.#results.keys()])
      if (!paths.includes(path)) this.#drop(path);
    if (this.#running && !paths.includes(this.#running.path))
      this.#running.stop.abort();
    void this.#run();
  }

  /** Renders a failed path again, without waiting for the next retry. */
  again(path: string): void {
    this.#drop(path);
    if (this.#running?.path === path) this.#running.stop.abort();
    void this.#run();
  }

  close(): void {
    this.want([]);
  }

  #drop(path: string): void {
    const result = this.#results.get(path);
    if (result && !(result instanceof Error)) freeBlob(result.url);
    this.#results.delete(path);
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    for (let path = this.#next(); path; path = this.#next()) {
      const stop = new AbortController();
      this.#running = { path, stop };
      try {
        const blob = await render(path, stop.signal);
        this.#failures = 0;
        if (!stop.signal.aborted)
          this.#results.set(path, { blob, url: URL.createObjectURL(blob) });
      } catch (error) {
        if (!stop.signal.aborted)
          await this.#fail(path, error as Error, stop.signal);
      }
    }
    this.#running = null;
  }
  readonly #next = () => this.#wanted.find((path) => !this.#results.has(path));

  // While the server is busy or does not answer, the error is shown until the next retry.
  async #fail(path: string, error: Error, signal: AbortSignal): Promise<void> {
    const { code, retryAfter } = error as Partial<ApiError>;
    this.#results.set(path, error);
    if (code !== "OFFLINE" && retryAfter === undefined) return;
    await pauseOrOnline(backoff(this.#failures++), signal).catch(
      () => undefined,
    );
    this.#drop(path);
  }
}

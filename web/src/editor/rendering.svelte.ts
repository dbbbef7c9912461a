import { backoff, pauseOrOnline } from "../api/pause";
import type { ApiError } from "../api/request";
import { freeBlob } from "../ui/blobs";
import { render } from "./server";

/** Milliseconds without a further change after which the rendering of an outdated path is aborted. */
const settled = 150;

/** Renders the newest path. There is one request at a time, and an older picture never replaces a newer one. */
export class Rendering {
  /** The `blob:` URL of the decoded picture; empty before the first one. */
  url = $state("");
  width = $state(0);
  height = $state(0);
  busy = $state(false);
  failure = $state.raw<Error | null>(null);
  /** The path that `url` shows, and its scale: 0.5 is half the width of the result. */
  path = $state("");
  scale = $state(1);

  #wanted = "";
  #wantedScale = 1;
  #failures = 0; // in a row
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows a path. During a drag, the running request completes and is shown; the newest path follows. */
  show(path: string, scale: number): void {
    if (path === this.#wanted) return;
    this.#wanted = path;
    this.#wantedScale = scale;
    if (!this.#running) return void this.#run();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#running?.abort(), settled);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#wanted = "";
    this.#running?.abort();
    if (this.url) freeBlob(this.url);
  }

  async #run(): Promise<void> {
    const path = this.#wanted;
    const scale = this.#wantedScale;
    const stop = (this.#running = new AbortController());
    this.busy = true;
    let again = false;
    try {
      await this.#take(await render(path, stop.signal), path, scale);
    } catch (error) {
      if (!stop.signal.aborted)
        again = await this.#fail(error as Error, stop.signal);
    }
    clearTimeout(this.#timer);
    this.#running = null;
    if (this.#wanted && (again || this.#wanted !== path)) return this.#run();
    this.busy = false;
  }

  // Shows the error. Returns whether to retry, after a pause: true if the server did not answer or reported
  // that it is busy.
  async #fail(error: Error, signal: AbortSignal): Promise<boolean> {
    const { code, retryAfter } = error as Partial<ApiError>;
    this.failure = error;
    this.busy = false;
    if (code !== "OFFLINE" && retryAfter === undefined) return false;
    await pauseOrOnline(backoff(this.#failures++), signal).catch(
      () => undefined,
    );
    return true;
  }

  async #take(blob: Blob, path: string, scale: number): Promise<void> {
    const url = URL.createObjectURL(blob);
    const image = new Image();
    image.src = url;
    await image.decode();
    if (!this.#wanted) return URL.revokeObjectURL(url);
    const before = this.url;
    this.#failures = 0;
    Object.assign(this, {
      url,
      path,
      scale,
      width: image.naturalWidth,
      height: image.naturalHeight,
      failure: null,
    });
    if (before) freeBlob(before);
  }
}

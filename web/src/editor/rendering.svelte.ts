import { backoff, pauseOrOnline } from "../api/pause";
import type { ApiError } from "../api/request";
import { freeBlob } from "../ui/blobs";
import { render } from "./server";

/** Without a further change for so long, in milliseconds, what is being rendered for an older one is given up. */
const settled = 150;

/** The picture of the newest path: one request at a time, and never an older picture after a newer one. */
export class Rendering {
  /** A `blob:` address, decoded already; empty before the first. */
  url = $state("");
  width = $state(0);
  height = $state(0);
  busy = $state(false);
  failure = $state.raw<Error | null>(null);
  /** The path that `url` shows, and how large it is of the result: 0.5 is half as wide. */
  path = $state("");
  scale = $state(1);

  #wanted = "";
  #wantedScale = 1;
  #failures = 0; // in a row
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows a path. While somebody drags a slider the running one is finished and shown; then only the newest counts. */
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

  // Says what was wrong. Answers whether to ask again, once it is time to: without an answer, or when the server says that it is busy.
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

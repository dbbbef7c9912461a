import type { DetailedError, Upload as TusUpload } from "tus-js-client";
import { ApiError, messageOf } from "../api/request";
import { isAbort, type ErrorBody } from "../api/transport";
import { t } from "../messages/index.svelte";
import { freeBlob } from "../ui/blobs";
import { persist } from "./persist";
import { patience, type Sender } from "./sender";
import { forget, keep, type Kept } from "./store";

/**
 * `same`: the library already has its bytes. `lost`: the page was reloaded, and the person has to
 * choose the file again.
 */
export type State =
  | "waiting"
  | "sending"
  | "paused"
  | "conflict"
  | "failed"
  | "lost"
  | "same"
  | "done";
export type Policy = "ERROR" | "RENAME" | "REPLACE";

/**
 * The largest and smallest chunk in bytes. If the connection breaks during each chunk, chunks
 * become smaller.
 */
const [largestChunk, smallestChunk] = [8 << 20, 256 << 10];

/** The number of times that a run starts over an upload that the server no longer has. */
const beginnings = 3;

/** The bytes of a file can no longer be read: it was changed, moved or deleted. */
class Unreadable extends Error {}

/** The upload of one file. */
export class Upload {
  state = $state<State>("waiting");
  sent = $state(0);
  reason = $state("");
  /** The code of the error that made it fail; empty if there is none. */
  code = $state("");
  /** Whether a request was not answered and is being repeated. */
  stalled = $state(false);
  /** The path of the library file that has the same bytes; empty if there is none. */
  sameAs = $state("");
  /** The path of the uploaded file; empty until it has arrived. */
  arrived = $state("");
  /** The URL of a thumbnail, valid until the upload is removed from the list. */
  preview = $state("");
  /** Called when the upload has finished. */
  ondone = () => {};
  #kept: Kept;
  readonly #sender: Sender;
  #file: File | null = null;
  #announced: Promise<TusUpload> | null = null;
  #checked = false;
  #canceled = false;
  #stop = new AbortController();
  /** The offset at which the newest attempt starts, and whether it has reported progress. */
  #begun = 0;
  #reached = false;

  /** Without a file it is lost until `found` is called. */
  constructor(kept: Kept, file: File | null, sender: Sender) {
    this.#kept = kept;
    this.#sender = sender;
    if (file) this.#take(file);
    else this.state = "lost";
  }

  get place(): string {
    return this.#kept.place;
  }
  get path(): string {
    return this.#kept.path;
  }
  get size(): number {
    return this.#kept.size;
  }
  get kept(): Readonly<Kept> {
    return this.#kept;
  }
  /** Whether it is neither finished nor waiting for the person. */
  get open(): boolean {
    return this.state === "waiting" || this.state === "sending";
  }

  /** Provides the file, possibly again. */
  found(
    file: File,
    { root, within }: Pick<Kept, "root" | "within"> = this.#kept,
  ): void {
    this.#keep({ root, within });
    this.#take(file);
  }
  #take(file: File): void {
    this.#file = file;
    this.#announced = null;
    if (
      !this.preview &&
      /^image\/(jpeg|png|webp|gif|avif)$/.test(file.type) &&
      file.size < 30e6
    )
      this.preview = URL.createObjectURL(file);
    this.state = "waiting";
  }

  /** Sends it in its next turn with another policy for a taken name, or although the library has its bytes. */
  answer(answer: Partial<Pick<Kept, "policy" | "always">>): void {
    this.#keep({ ...answer, key: newKey() }); // the key identifies an unchanged upload
    this.state = "waiting";
  }

  /** Requests how much of a lost upload has arrived. If all of it has, it can finish without its file. */
  async look(): Promise<void> {
    const { id } = this.#kept;
    if (!id) return;
    const received = await this.#sender.received(id);
    if (this.state !== "lost") return;
    this.sent = received;
    if (received && received === this.size) this.state = "waiting";
  }

  /** Sends it, beginning where it stopped. Resolves when it has finished, failed or was paused. */
  async run(): Promise<void> {
    const { signal } = (this.#stop = new AbortController());
    this.state = "sending";
    this.reason = this.code = "";
    try {
      const same = await this.#same(signal);
      if (!same) await this.#deliver(signal);
      this.sameAs = same ?? "";
      this.state = same ? "same" : "done";
      if (!same) this.ondone();
      void forget([this.place]);
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    } finally {
      if (this.#stop.signal === signal) this.stalled = false;
    }
  }

  #fail(error: unknown): void {
    if (error instanceof ApiError && error.code === "UNAUTHENTICATED")
      return void (this.state = "waiting"); // waits until somebody is logged in
    if (
      error instanceof Unreadable ||
      (error instanceof DOMException &&
        /^Not(Readable|Found)Error$/.test(error.name))
    ) {
      this.#file = null;
      this.state = "lost";
      return;
    }
    const conflict =
      error instanceof ApiError &&
      error.code === "CONFLICT" &&
      error.field === "path";
    if (conflict || isGone(error)) this.#begin();
    this.state = conflict ? "conflict" : "failed";
    this.reason = reasonOf(error);
    this.code = codeOf(error);
  }

  // The path of a library file with the same bytes. Null if there is none, and for a file that was checked or
  // announced before.
  async #same(signal: AbortSignal): Promise<string | null> {
    if (
      this.#checked ||
      this.#kept.id ||
      this.#kept.always ||
      this.#kept.policy !== "ERROR"
    )
      return null;
    const same = await persist(
      () => this.#sender.same(this.#file!, this.path, signal),
      signal,
      { waiting: this.#waiting },
    );
    this.#checked = true;
    return same;
  }

  async #deliver(signal: AbortSignal): Promise<void> {
    for (let n = 1; ; n++) {
      try {
        if (this.#file) {
          const tus = await this.#announcement(signal);
          signal.throwIfAborted();
          await this.#send(tus, signal);
        } else if (!this.#kept.id) throw new Unreadable();
        return await persist(() => this.#finish(), signal, {
          waiting: this.#waiting,
        });
      } catch (error) {
        if (signal.aborted || !isGone(error) || n >= beginnings) throw error;
        this.#begin();
      }
    }
  }

  // It is announced to the server once, however often it is paused.
  async #announcement(signal: AbortSignal): Promise<TusUpload> {
    try {
      return await (this.#announced ??= this.#announce(signal));
    } catch (error) {
      if (signal.aborted || !isAbort(error)) throw error;
      return this.#announcement(signal); // the pause was that of the previous run
    }
  }
  async #announce(signal: AbortSignal): Promise<TusUpload> {
    try {
      const waiting = this.#waiting;
      const [{ Upload: Tus }, url] = await Promise.all([
        persist(loadTus, signal, { waiting }),
        persist(() => this.#create(), signal, { waiting }),
      ]);
      return new Tus(this.#file!, {
        uploadUrl: new URL(url, location.href).href,
        chunkSize: largestChunk,
        retryDelays: [],
        storeFingerprintForResuming: false,
      });
    } catch (error) {
      this.#announced = null;
      throw error;
    }
  }
  async #create(): Promise<string> {
    const { id, url } = await this.#sender.announce(this.#kept);
    if (this.#canceled) this.#sender.cancel(id);
    else if (id !== this.#kept.id) this.#keep({ id });
    return url;
  }
  async #finish(): Promise<void> {
    this.arrived = (await this.#sender.finish(this.#kept.id!)) || this.path;
  }

  // Sends the bytes that the server lacks, and resumes whenever the connection breaks.
  async #send(tus: TusUpload, signal: AbortSignal): Promise<void> {
    let [before, chunk] = [-1, largestChunk];
    const advanced = () => {
      const more = this.#begun > before;
      if (this.#reached && !more)
        tus.options.chunkSize = chunk = Math.max(smallestChunk, chunk / 2);
      before = this.#begun;
      return more;
    };
    await persist(() => this.#trySend(tus, signal), signal, {
      waiting: this.#waiting,
      advanced,
    });
  }
  #trySend(tus: TusUpload, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      const end = (settle: () => void) => {
        over.abort();
        clearTimeout(timer);
        settle();
      };
      const stuck = () => {
        void tus.abort();
        end(() => reject(noAnswer()));
      };
      let timer = setTimeout(stuck, patience);
      this.#reached = false;
      tus.options.onProgress = (sent) => {
        if (!this.#reached) this.#begun = sent;
        this.#reached = true;
        this.stalled = false;
        this.sent = sent;
        clearTimeout(timer);
        timer = setTimeout(stuck, patience);
      };
      tus.options.onSuccess = () => end(resolve);
      tus.options.onError = (error) =>
        end(() => void explain(error, this.#file!).then(reject));
      signal.addEventListener(
        "abort",
        () => (void tus.abort(), end(() => reject(signal.reason))),
        { once: true, signal: over.signal },
      );
      tus.start();
    });
  }

  #waiting = (now: boolean) => void (this.stalled = now);

  // The next run announces it again, and sends it from the beginning.
  #begin(): void {
    if (this.#kept.id) this.#sender.cancel(this.#kept.id);
    this.#announced = null;
    this.sent = 0;
    this.#keep({ id: null, key: newKey() });
  }

  #keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    if (!this.#canceled) void keep([this.#kept]);
  }

  pause(): void {
    if (!this.open) return;
    this.state = "paused";
    this.#stop.abort();
  }

  /** Cancels it; the server removes what has arrived. */
  cancel(): void {
    this.pause();
    this.#canceled = true; // a running announcement is cancelled when its answer arrives
    void forget([this.place]);
    if (this.#kept.id && this.state !== "done")
      this.#sender.cancel(this.#kept.id);
    if (this.preview) freeBlob(this.preview);
  }
}

/** A random key; `crypto.randomUUID` needs a secure context. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** Loads the tus client; early, while there is a connection. */
export function loadTus(): Promise<typeof import("tus-js-client")> {
  return import("tus-js-client").catch(() => Promise.reject(noAnswer()));
}

const noAnswer = () => new ApiError("OFFLINE", t("error.offline"));

/** Whether the server no longer has the upload. */
function isGone(error: unknown): boolean {
  if (error instanceof ApiError)
    return error.code === "NOT_FOUND" || error.code === "EXPIRED";
  return [404, 410].includes(statusOf(error));
}

const statusOf = (error: unknown) =>
  (error as Partial<DetailedError>).originalResponse?.getStatus() ?? 0;

/** Converts the error of a transfer to one that is retried or not. */
async function explain(
  error: Error | DetailedError,
  file: Blob,
): Promise<Error> {
  const status = statusOf(error);
  if (!status || (status >= 502 && status <= 504))
    return (await readable(file)) ? noAnswer() : new Unreadable();
  const again = [409, 423, 429].includes(status) || status >= 500;
  return again ? new ApiError("UNAVAILABLE", reasonOf(error), null, 1) : error;
}

async function readable(file: Blob): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

// The server's message, without the prefix that the tus library adds.
const reasonOf = (error: unknown) => bodyOf(error).message ?? messageOf(error);

const codeOf = (error: unknown) =>
  error instanceof ApiError ? error.code : (bodyOf(error).error ?? "");

function bodyOf(error: unknown): ErrorBody {
  const body = (error as Partial<DetailedError>).originalResponse?.getBody();
  try {
    return JSON.parse(body ?? "") as ErrorBody;
  } catch {
    return {};
  }
}

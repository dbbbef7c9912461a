import type { DetailedError, Upload as TusUpload } from "tus-js-client";
import { ApiError, messageOf } from "../api/request";
import type { ErrorBody } from "../api/transport";
import { t } from "../messages/index.svelte";
import { freeBlob } from "../ui/blobs";
import { persist } from "./persist";
import { patience, type Sender } from "./sender";
import { forget, keep, type Kept } from "./store";

/** `same`: the library has its bytes. `lost`: the page was reloaded, and the person has to choose the file again. */
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

/** Bytes that are sent at a time, at most and at least: a line that breaks during each of them gets smaller ones. */
const [largestChunk, smallestChunk] = [8 << 20, 256 << 10];

/** How often an upload that the server has forgotten is begun again in one run. */
const beginnings = 3;

/** The bytes of a file cannot be read any more: it was changed, moved or deleted. */
class Unreadable extends Error {}

/** One file on its way. */
export class Upload {
  state = $state<State>("waiting");
  sent = $state(0);
  reason = $state("");
  /** The code of the error that made it fail; empty for none. */
  code = $state("");
  /** It has no answer, and is tried again. */
  stalled = $state(false);
  /** The file in the library that has the same bytes. */
  sameAs = $state("");
  /** Where it is, once it is there. */
  arrived = $state("");
  /** A small picture of it, until it is removed from the list. */
  preview = $state("");
  /** Called when it is there. */
  ondone = () => {};
  #kept: Kept;
  readonly #sender: Sender;
  #file: File | null = null;
  #announced: Promise<TusUpload> | null = null;
  #checked = false;
  #canceled = false;
  #stop = new AbortController();
  /** The offset at which the newest try starts, and whether it has got that far. */
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
  /** Whether it is neither there nor left to the person. */
  get open(): boolean {
    return this.state === "waiting" || this.state === "sending";
  }

  /** The file is here, perhaps again. */
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

  /** Sends it at its next turn with another answer to a taken name, or even though the library has it. */
  answer(answer: Partial<Pick<Kept, "policy" | "always">>): void {
    this.#keep({ ...answer, key: newKey() }); // an upload that is announced again with its key has to be the same one
    this.state = "waiting";
  }

  /** Asks how much of a lost one has arrived. */
  async look(): Promise<void> {
    const { id } = this.#kept;
    if (!id) return;
    const received = await this.#sender.received(id);
    if (this.state === "lost") this.sent = received;
  }

  /** Sends it, from where it stopped. Ends when it is there, has failed or was paused. */
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
      return void (this.state = "waiting"); // until somebody is logged in
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

  // The path of what the library has in its place. What was announced is not in doubt any more.
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
        const tus = await this.#announcement(signal);
        signal.throwIfAborted();
        await this.#send(tus, signal);
        return await persist(() => this.#finish(), signal, {
          waiting: this.#waiting,
        });
      } catch (error) {
        if (signal.aborted || !isGone(error) || n >= beginnings) throw error;
        this.#begin();
      }
    }
  }

  // The server learns of it once, however often it is paused.
  async #announcement(signal: AbortSignal): Promise<TusUpload> {
    try {
      return await (this.#announced ??= this.#announce(signal));
    } catch (error) {
      const paused =
        error instanceof DOMException && error.name === "AbortError";
      if (signal.aborted || !paused) throw error;
      return this.#announcement(signal); // the pause was of the run before
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

  // Sends what the server lacks, as often as the connection breaks.
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

  // The next run announces it again, and sends it from its beginning.
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

  /** Gives it up; the server removes what has arrived. */
  cancel(): void {
    this.pause();
    this.#canceled = true; // an announcement that is on its way is given up when its answer comes
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

/** Loads what sends bytes; early, while there is a connection. */
export function loadTus(): Promise<typeof import("tus-js-client")> {
  return import("tus-js-client").catch(() => Promise.reject(noAnswer()));
}

const noAnswer = () => new ApiError("OFFLINE", t("error.offline"));

/** Whether the server has no such upload any longer. */
function isGone(error: unknown): boolean {
  if (error instanceof ApiError)
    return error.code === "NOT_FOUND" || error.code === "EXPIRED";
  return [404, 410].includes(statusOf(error));
}

const statusOf = (error: unknown) =>
  (error as Partial<DetailedError>).originalResponse?.getStatus() ?? 0;

/** What kept bytes from being sent, as something that is tried again or not. */
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

// What the server says, without what the library adds to it.
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

import { backoff, pauseOrOnline } from "../api/pause";

/** Milliseconds for which events are collected before they are passed on together. */
const pause = 300;

/**
 * One stream for all tabs of a browser, which allows six HTTP/1.1 connections per server, including
 * streams. The tab that holds the lock reads the stream and forwards events; when it closes, the
 * next one takes over. Without locks (plain HTTP to another machine), each tab reads the stream
 * while it is visible.
 */
export class SharedStream<T> {
  readonly #listeners = new Set<(items: T[]) => void>();
  #stop: AbortController | null = null;

  constructor(
    readonly name: string,
    readonly open: (signal: AbortSignal) => AsyncIterable<T>,
    /** Selects the items that this tab needs. */
    readonly news: (items: T[]) => T[] = (items) => items,
  ) {}

  /**
   * Calls `listener` with new items, until the returned function is called. The stream is open
   * while there are listeners.
   */
  listen(listener: (items: T[]) => void): () => void {
    this.#listeners.add(listener);
    this.#stop ??= this.#join();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size) return;
      this.#stop?.abort();
      this.#stop = null;
    };
  }

  #join(): AbortController {
    const stop = new AbortController();
    const { signal } = stop;
    const channel = new BroadcastChannel(`safelight.${this.name}`);
    channel.onmessage = (event: MessageEvent<T[]>) => this.#receive(event.data);
    signal.addEventListener("abort", () => channel.close());
    const pass = (items: T[]) => {
      this.#receive(items);
      channel.postMessage(items);
    };
    if (navigator.locks)
      void navigator.locks
        .request(`safelight.${this.name}`, { signal }, () =>
          this.#lead(signal, pass),
        )
        .catch(() => undefined);
    else this.#leadWhileVisible(signal);
    return stop;
  }

  #receive(items: T[]): void {
    const news = this.news(items);
    if (news.length) this.tell(news);
  }

  /** Passes items to the listeners in this tab. */
  tell(items: T[]): void {
    for (const listener of this.#listeners) listener(items);
  }

  #leadWhileVisible(signal: AbortSignal): void {
    let reading: AbortController | null = null;
    const look = () => {
      if (document.hidden || signal.aborted) {
        reading?.abort();
        reading = null;
      } else if (!reading) {
        reading = new AbortController();
        void this.#lead(reading.signal, (items) => this.#receive(items));
      }
    };
    document.addEventListener("visibilitychange", look, { signal });
    signal.addEventListener("abort", look);
    look();
  }

  async #lead(signal: AbortSignal, pass: (items: T[]) => void): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#read(signal, pass, () => (failures = 0));
      } catch {
        // reopened below; an expired session is removed where its token is rejected
      }
      await pauseOrOnline(backoff(failures), signal).catch(() => undefined); // the last listener has gone
    }
  }

  async #read(
    signal: AbortSignal,
    pass: (items: T[]) => void,
    arrived: () => void,
  ): Promise<void> {
    let waiting: T[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      const items = waiting;
      waiting = [];
      if (items.length && !signal.aborted) pass(items);
    };
    try {
      for await (const item of this.open(signal)) {
        arrived();
        waiting.push(item);
        timer ??= setTimeout(flush, pause);
      }
    } finally {
      clearTimeout(timer);
      flush();
    }
  }
}

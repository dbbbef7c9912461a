/** Milliseconds between a change and the question that it causes, and between two such questions. */
const [calm, rest] = [250, 1500];

/** Does a piece of work again whenever something has changed: one at a time, and not for each of many changes. */
export class Renewal {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #again = false;
  #stopped = false;

  constructor(readonly work: () => Promise<void>) {}

  /** Whether it is being done. */
  get running(): boolean {
    return this.#running;
  }

  /** Does it in a moment, together with what changes until then. */
  soon(): void {
    if (this.#running) this.#again = true;
    else this.#timer ??= setTimeout(() => this.now(), calm);
  }

  /** Does it at once, or once more when it is being done. */
  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#stopped) return;
    if (this.#running) return void (this.#again = true);
    this.#running = true;
    this.#again = false;
    void this.work()
      .catch(() => undefined)
      .finally(() => {
        this.#running = false;
        if (this.#again && !this.#stopped)
          this.#timer = setTimeout(() => this.now(), rest);
      });
  }

  /** Never again. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}

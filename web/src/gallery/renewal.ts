/** Milliseconds between a change and the request that it causes, and between two such requests. */
const [calm, rest] = [250, 1500];

/** Repeats a task after changes: one run at a time, and not one for each of many changes. */
export class Renewal {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #again = false;
  #stopped = false;

  constructor(readonly work: () => Promise<void>) {}

  /** Whether the task is running. */
  get running(): boolean {
    return this.#running;
  }

  /** Runs the task after a short delay that collects changes. */
  soon(): void {
    if (this.#running) this.#again = true;
    else this.#timer ??= setTimeout(() => this.now(), calm);
  }

  /** Runs the task at once, or once more after the current run. */
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

  /** Prevents all further runs. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}

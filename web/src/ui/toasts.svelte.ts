/** What a toast offers to do. */
export type Action = { label: string; run: () => unknown };
export type Toast = {
  id: number;
  kind: "done" | "note" | "error";
  text: string;
  action?: Action;
};

const patience = { done: 6000, note: 8000, error: 10_000 };

class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();

  /** Shows a sentence for some seconds, with something to do about it when there is. Returns its id. */
  show(kind: Toast["kind"], text: string, action?: Action): number {
    const id = this.#next++;
    this.list = [...this.list.slice(-2), { id, kind, text, action }];
    this.#wait(id, kind);
    return id;
  }
  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
  /** Closes all. */
  clear(): void {
    for (const { id } of this.list) this.close(id);
  }
  /** The newest that offers to do something; undefined for none. */
  get offer(): Toast | undefined {
    return this.list.findLast((toast) => toast.action);
  }
  /** Does what a toast offers. */
  async act(toast: Toast): Promise<void> {
    this.close(toast.id);
    await toast.action?.run();
  }
  /** Keeps all of them while a pointer or the focus is on one. */
  hold(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }
  release(): void {
    for (const toast of this.list) this.#wait(toast.id, toast.kind);
  }
  #wait(id: number, kind: Toast["kind"]): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.set(
      id,
      setTimeout(() => this.close(id), patience[kind]),
    );
  }
}

export const toasts = new Toasts();

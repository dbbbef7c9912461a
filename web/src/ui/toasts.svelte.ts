import { t } from "../messages/index.svelte";

/** What a toast offers to do. */
export type Action = {
  label: string;
  run: () => unknown;
  /** It takes the last change back. */
  undoes?: boolean;
};
/**
 * `done` reports a change, `told` something else that worked, `note` and `error` what a person should know.
 * `busy` reports work in progress, and stays until it is closed.
 */
export type Kind = "done" | "told" | "note" | "error" | "busy";
export type Toast = {
  id: number;
  kind: Kind;
  text: string;
  action?: Action;
};

/** Milliseconds until a toast closes by itself. */
const patience: Record<Kind, number> = {
  done: 6000,
  told: 6000,
  note: 8000,
  error: 10_000,
  busy: Infinity,
};
/** The most toasts at a time, beside those of work under way. */
const most = 3;

/** The offer to take a change back. */
export const undo = (run: () => unknown): Action => ({
  label: t("ui.undo"),
  run,
  undoes: true,
});

class Toasts {
  list = $state<Toast[]>([]);
  /** A modal dialog that is open: what is outside of it is covered and cannot be used. */
  room = $state.raw<HTMLElement | null>(null);
  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #undo: Action | null = null; // of the last change, also when its toast is gone

  /** Shows a sentence for some seconds, with something to do about it when there is. Returns its id. */
  show(kind: Kind, text: string, action?: Action): number {
    if (action?.undoes) this.#undo = action;
    else if (kind === "done") this.#undo = null; // another change, which cannot be undone
    const id = this.#next++;
    const brief = this.list.filter((toast) => toast.kind !== "busy");
    for (const old of brief.slice(0, Math.max(0, brief.length - most + 1)))
      this.close(old.id);
    this.list = [...this.list, { id, kind, text, action }];
    this.#wait(id, kind);
    return id;
  }
  /** Changes the sentence of a toast that is still shown. */
  say(id: number, text: string): void {
    const toast = this.list.find((one) => one.id === id);
    if (toast) toast.text = text;
  }
  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
  /** Closes all, and forgets the last undo. */
  clear(): void {
    this.#undo = null;
    for (const { id } of this.list) this.close(id);
  }
  /** Something was changed that nothing is said of, and that cannot be undone: the last undo would be of another change. */
  changed(): void {
    this.#undo = null;
  }
  /** Whether something is under way that would end with the page. */
  get busy(): boolean {
    return this.list.some(({ kind }) => kind === "busy");
  }
  /** Does what a toast offers. */
  async act(toast: Toast): Promise<void> {
    this.close(toast.id);
    if (toast.action?.undoes) this.#undo = null;
    await toast.action?.run();
  }
  /** Takes the last change back, whether or not its toast is still shown; says so if there is none. */
  async undo(): Promise<void> {
    const last = this.#undo;
    if (!last) return void this.show("note", t("ui.nothingToUndo"));
    this.#undo = null;
    for (const { id, action } of this.list)
      if (action?.run === last.run) this.close(id);
    await last.run();
  }
  /** Keeps all of them while a pointer or the focus is on one. */
  hold(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }
  release(): void {
    for (const toast of this.list) this.#wait(toast.id, toast.kind);
  }
  #wait(id: number, kind: Kind): void {
    clearTimeout(this.#timers.get(id));
    if (patience[kind] === Infinity) return;
    this.#timers.set(
      id,
      setTimeout(() => this.close(id), patience[kind]),
    );
  }
}

export const toasts = new Toasts();

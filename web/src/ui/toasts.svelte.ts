import { t } from "../messages/index.svelte";

/** The action that a toast offers. */
export type Action = {
  label: string;
  run: () => unknown;
  /** Whether it undoes the last change. */
  undoes?: boolean;
};
/**
 * `done` reports a change, `told` another success, `note` and `error` what a person should know.
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
/** The maximum number of toasts, not counting those of work in progress. */
const most = 3;

/** The action that undoes a change. */
export const undo = (run: () => unknown): Action => ({
  label: t("ui.undo"),
  run,
  undoes: true,
});

class Toasts {
  list = $state<Toast[]>([]);
  /** The open modal dialog, outside of which everything is covered and inert; null if there is none. */
  room = $state.raw<HTMLElement | null>(null);
  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #undo: Action | null = null; // the undo of the last change, even after its toast has gone

  /** Shows a message for some seconds, optionally with an action. Returns its id. */
  show(kind: Kind, text: string, action?: Action): number {
    if (action?.undoes) this.#undo = action;
    else if (kind === "done") this.#undo = null; // a newer change, which cannot be undone
    const id = this.#next++;
    const brief = this.list.filter((toast) => toast.kind !== "busy");
    for (const old of brief.slice(0, Math.max(0, brief.length - most + 1)))
      this.close(old.id);
    this.list = [...this.list, { id, kind, text, action }];
    this.#wait(id, kind);
    return id;
  }
  /** Changes the message of a toast that is still shown. */
  say(id: number, text: string): void {
    const toast = this.list.find((one) => one.id === id);
    if (toast) toast.text = text;
  }
  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
  /** Closes all toasts, and discards the last undo. */
  clear(): void {
    this.#undo = null;
    for (const { id } of this.list) this.close(id);
  }
  /** Records a change without a toast or an undo: the last undo would be for an earlier change. */
  changed(): void {
    this.#undo = null;
  }
  /** Whether work is in progress that would end with the page. */
  get busy(): boolean {
    return this.list.some(({ kind }) => kind === "busy");
  }
  /** Runs the action of a toast. */
  async act(toast: Toast): Promise<void> {
    this.close(toast.id);
    if (toast.action?.undoes) this.#undo = null;
    await toast.action?.run();
  }
  /** Undoes the last change, even if its toast has gone; shows a message if there is none. */
  async undo(): Promise<void> {
    const last = this.#undo;
    if (!last) return void this.show("note", t("ui.nothingToUndo"));
    this.#undo = null;
    for (const { id, action } of this.list)
      if (action?.run === last.run) this.close(id);
    await last.run();
  }
  /** Keeps all toasts open while a pointer or the focus is on one. */
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

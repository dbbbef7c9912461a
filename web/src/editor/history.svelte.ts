import { same } from "./format";
import type { Operations } from "./operations";
import { stepOf, type Step } from "./step";

type Entry = {
  operations: Operations;
  step: Step | null;
  key: string;
  at: number;
};

/** Milliseconds within which changes of one control become one step. */
const together = 1500;

/** A document with unlimited undo and redo. */
export class History {
  #entries = $state.raw<Entry[]>([]);
  #at = $state(0);
  #moved = false; // whether an undo or a redo happened since the last change

  constructor(start: Operations) {
    this.#entries = [{ operations: start, step: null, key: "", at: 0 }];
  }

  get operations(): Operations {
    return this.#entries[this.#at]!.operations;
  }
  /** The steps, oldest first. The first one is the initial document and null. */
  get steps(): readonly (Step | null)[] {
    return this.#entries.map((entry) => entry.step);
  }
  get at(): number {
    return this.#at;
  }
  get canUndo(): boolean {
    return this.#at > 0;
  }
  get canRedo(): boolean {
    return this.#at < this.#entries.length - 1;
  }

  /**
   * Makes a change and drops undone steps. Changes with the same key in quick succession become
   * one step, unless an undo or a redo happened between them.
   */
  change(operations: Operations, key = "", now = Date.now()): void {
    const last = this.#entries[this.#at]!;
    if (same(last.operations, operations)) return;
    const joined =
      key !== "" &&
      last.key === key &&
      now - last.at < together &&
      !this.#moved;
    this.#moved = false;
    const kept = this.#entries.slice(0, joined ? this.#at : this.#at + 1);
    const before = kept.at(-1)?.operations ?? operations;
    this.#entries = [
      ...kept,
      { operations, step: stepOf(before, operations), key, at: now },
    ];
    this.#at = kept.length;
  }
  undo(): void {
    this.go(this.#at - 1);
  }
  redo(): void {
    this.go(this.#at + 1);
  }
  /** Goes to a step. */
  go(at: number): void {
    this.#moved = true;
    this.#at = Math.min(Math.max(at, 0), this.#entries.length - 1);
  }
}

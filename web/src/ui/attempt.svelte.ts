import { isAbort } from "../api/transport";

/**
 * An action that a person starts and that may fail, such as sending a form: whether it is running,
 * and why it failed.
 */
export class Attempt<P> {
  /** What is running, by the name that `run` got; empty if nothing is. */
  running = $state("");
  /** Why the newest run failed; null if it did not. */
  problem = $state.raw<P | null>(null);
  readonly #explain: (error: unknown) => P | void;

  /** `explain` says what `problem` becomes, such as `messageOf`, or shows the error elsewhere, as `tellError` does. */
  constructor(explain: (error: unknown) => P | void) {
    this.#explain = explain;
  }

  get busy(): boolean {
    return this.running !== "";
  }

  /**
   * Runs an action to its end, and returns whether it succeeded. Never rejects. An abort is no
   * problem: the person has canceled a confirmation, for example.
   */
  async run(action: () => Promise<unknown>, name = "action"): Promise<boolean> {
    this.running = name;
    this.problem = null;
    try {
      await action();
      return true;
    } catch (error) {
      if (!isAbort(error)) this.problem = this.#explain(error) ?? null;
      return false;
    } finally {
      this.running = "";
    }
  }
}

/** A handler for a form's submit event that runs `action` instead of leaving the page. */
export const submits = (action: () => unknown) => (event: SubmitEvent) => {
  event.preventDefault();
  void action();
};

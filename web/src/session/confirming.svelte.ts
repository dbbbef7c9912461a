/** A sensitive change that waits until the person has confirmed their identity. */
class Confirming {
  #asked: Promise<boolean> | null = null;
  #answer: (confirmed: boolean) => void = () => undefined;
  #open = $state(false);

  /** Whether the dialog is open. */
  get open(): boolean {
    return this.#open;
  }
  /**
   * Opens the dialog; changes that are sent meanwhile wait for the same confirmation. Resolves to
   * false if the person cancels.
   */
  ask(): Promise<boolean> {
    this.#open = true;
    return (this.#asked ??= new Promise((answer) => (this.#answer = answer)));
  }
  end(confirmed: boolean): void {
    this.#open = false;
    this.#answer(confirmed);
    this.#asked = null;
  }
}

export const confirming = new Confirming();

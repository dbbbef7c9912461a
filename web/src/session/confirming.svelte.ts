/** A sensitive change that waits until the person has confirmed who they are. */
class Confirming {
  #asked: Promise<boolean> | null = null;
  #answer: (confirmed: boolean) => void = () => undefined;
  #open = $state(false);

  /** Whether the dialog is shown. */
  get open(): boolean {
    return this.#open;
  }
  /** Asks; changes that are sent meanwhile wait for the same answer. False if the person gives up. */
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

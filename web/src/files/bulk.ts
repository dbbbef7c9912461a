import { backoff, pauseOrOnline } from "../api/pause";
import { ApiError } from "../api/request";
import { tellError } from "../gallery/actions";
import { t } from "../messages/index.svelte";
import { session } from "../session/session.svelte";
import { toasts, undo, type Action } from "../ui/toasts.svelte";

/** Items per call. The API accepts 1000; fewer allow progress reports and stopping. */
export const batchSize = 200;
/** The number of attempts for a batch without an answer. */
const tries = 5;
/** Milliseconds after which progress is shown. */
const patience = 700;

/** The API's result for one item. */
export type Result = {
  item: string;
  ok: boolean;
  error?: { code: string; message: string } | null;
  file?: { path: string } | null;
  folder?: { path: string } | null;
  trashed?: { id: string; isFolder: boolean } | null;
  /** The item's previous state for the undo, which the server does not return. */
  before?: Before;
};
type Payload = { results: Result[] } | null | undefined;

/** The id and the notes of a file, or its position in an album. */
export type Before = {
  id?: string;
  tags?: readonly string[];
  rating?: number;
  favorite?: boolean;
  place?: string;
};
export type Befores = ReadonlyMap<string, Before>;

/** One kind of call: its items, and the function that requests a batch of them. */
export type Step = {
  items: readonly string[];
  ask: (part: string[]) => Promise<Payload>;
  /**
   * Reads the state that the undo restores. A batch is changed only after that, because it could
   * not be determined any more if the answer to the change were lost.
   */
  before?: (part: string[]) => Promise<Befores>;
  /**
   * Finds items that are missing when a batch is repeated after a lost answer, and returns the
   * results that the lost answer contained.
   */
  found?: (gone: string[], before: Befores) => Promise<Result[]>;
};

/** A change of many files and folders. */
export type Change = {
  steps: readonly Step[];
  /**
   * Whether repeating a call has no further effect. If so, a batch whose answer is lost is
   * requested again. Items that are missing by then and are not found count as neither done nor
   * failed.
   */
  repeatable: boolean;
  /** The progress message, such as "Moved 200 of 4,300". */
  progress: (done: number, all: number) => string;
  /** The success message; omitted for an undo. */
  done?: (results: readonly Result[]) => string;
  /** An action offered with the message if there is no undo. */
  offer?: Action;
  /** The change that undoes what was done. */
  back?: (results: readonly Result[]) => Change;
  /** Called after the undo. */
  undone?: () => void;
};

/** A call was never answered: whether it took effect is unknown. */
class Lost extends Error {}

/**
 * Makes a change in batches. A failed batch does not stop later ones; the change ends when a batch
 * gets no answer or the person stops it. Toasts show the progress, what was done, with one undo for
 * everything, and what failed. Returns the results of what was done.
 */
export async function run(change: Change): Promise<Result[]> {
  const { turn } = session;
  const all = change.steps.reduce((sum, { items }) => sum + items.length, 0);
  const tally = new Tally();
  const progress = new Progress(() => change.progress(tally.done.length, all));
  try {
    for (const step of change.steps)
      for (let at = 0; at < step.items.length; at += batchSize) {
        const part = step.items.slice(at, at + batchSize);
        await ofBatch(part, step, change.repeatable, tally, progress.signal);
        progress.update();
      }
  } catch (error) {
    if (error instanceof Lost) tally.lost = true;
    else if (!progress.signal.aborted) tally.error = error;
  } finally {
    progress.end();
  }
  if (turn === session.turn) tell(change, tally, all);
  return tally.done;
}

/** Counts the outcome of each item. */
class Tally {
  done: Result[] = [];
  failed = 0;
  /** The first failed item and the reason. */
  first: { item: string; reason: string } | null = null;
  unsure = 0;
  lost = false;
  /** The error that ended the whole change. */
  error: unknown = null;

  fail(items: readonly string[], reason: string): void {
    this.first ??= { item: items[0] ?? "", reason };
    this.failed += items.length;
  }
  /** Adds an answer. */
  take(results: readonly Result[], before: Befores): void {
    for (const result of results)
      if (result.ok)
        this.done.push({ ...result, before: before.get(result.item) });
      else this.fail([result.item], result.error?.message ?? "");
  }
}

/** A toast that shows the progress of a long change, with a button to stop it. */
class Progress {
  #stop = new AbortController();
  #toast: number | undefined;
  #timer = setTimeout(() => {
    this.#toast = toasts.show("busy", this.text(), {
      label: t("ui.stop"),
      run: () => this.#stop.abort(),
    });
  }, patience);

  constructor(readonly text: () => string) {}

  /** Aborts when the person stops the change. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }
  /** Shows the current progress. Throws if the person has stopped the change. */
  update(): void {
    if (this.#toast !== undefined) toasts.say(this.#toast, this.text());
    this.signal.throwIfAborted();
  }
  end(): void {
    clearTimeout(this.#timer);
    if (this.#toast !== undefined) toasts.close(this.#toast);
  }
}

/**
 * Requests one batch, and counts its outcome. Throws Lost, an error that ends the whole change, or
 * the signal's reason.
 */
async function ofBatch(
  part: string[],
  step: Step,
  repeatable: boolean,
  tally: Tally,
  signal: AbortSignal,
): Promise<void> {
  let before: Befores | undefined;
  let asked = 0;
  for (let n = 1; ; n++) {
    try {
      before ??= (await step.before?.(part)) ?? new Map<string, Before>();
      asked++;
      const results = (await step.ask(part))?.results ?? [];
      if (asked === 1) return tally.take(results, before);
      const [gone, others] = divide(results);
      const found = gone.length ? await step.found?.(gone, before) : undefined;
      tally.take([...others, ...(found ?? [])], before);
      tally.unsure += gone.length - (found?.length ?? 0);
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the person has logged out, or did not confirm
      if (error.code === "UNAUTHENTICATED") throw error;
      if (error.code !== "OFFLINE") {
        if (asked > 1)
          tally.unsure += part.length; // the call whose answer was lost may have changed them
        else tally.fail(part, error.message);
        return;
      }
    }
    const unsure = asked ? part.length : 0; // after the request, items may have been changed
    if ((asked && !repeatable) || n === tries) {
      tally.unsure += unsure;
      throw new Lost();
    }
    try {
      await pauseOrOnline(backoff(n - 1), signal);
    } catch (reason) {
      tally.unsure += unsure; // stopped before the repetition
      throw reason;
    }
  }
}

/** Splits results into missing items and all other results. */
function divide(results: readonly Result[]): [string[], Result[]] {
  const isGone = ({ error }: Result) => error?.code === "NOT_FOUND";
  return [
    results.filter(isGone).map(({ item }) => item),
    results.filter((result) => !isGone(result)),
  ];
}

/** Reports what was done, with the undo, and what failed. */
function tell(change: Change, tally: Tally, all: number): void {
  const { done, failed, first, unsure, lost } = tally;
  const left = all - done.length - failed - unsure;
  if (tally.error) tellError(tally.error);
  if (first)
    toasts.show(
      "error",
      failed === 1
        ? t("bulk.oneFailed", { item: first.item, reason: first.reason })
        : t("bulk.failed", { n: failed, reason: first.reason }),
    );
  if (unsure) {
    toasts.show("error", t("bulk.unsure", { n: unsure }));
    toasts.changed(); // an older undo would not be for this change
  }
  if (left && !tally.error)
    toasts.show("note", t(lost ? "bulk.left" : "bulk.stopped", { n: left }));
  if (!done.length || !change.done) return;
  const { back, undone, offer } = change;
  const takeBack = async () => {
    await run(back!(done));
    undone?.();
  };
  toasts.show("done", change.done(done), back ? undo(takeBack) : offer);
}

import { backoff, pauseOrOnline } from "../api/pause";
import { ApiError } from "../api/request";
import { tellError } from "../gallery/actions";
import { t } from "../messages/index.svelte";
import { session } from "../session/session.svelte";
import { toasts, undo, type Action } from "../ui/toasts.svelte";

/** Items in one call. The API takes 1000; fewer show progress and make room to stop. */
export const batchSize = 200;
/** How often a batch is asked for whose answer does not come. */
const tries = 5;
/** Milliseconds after which progress is shown. */
const patience = 700;

/** What the API answers for one item. */
export type Result = {
  item: string;
  ok: boolean;
  error?: { code: string; message: string } | null;
  file?: { path: string } | null;
  folder?: { path: string } | null;
  trashed?: { id: string; isFolder: boolean } | null;
  /** What the item was before, for the undo; the server does not say it. */
  before?: Before;
};
type Payload = { results: Result[] } | null | undefined;

/** The id and the notes of a file, or its place in an album. */
export type Before = {
  id?: string;
  tags?: readonly string[];
  rating?: number;
  favorite?: boolean;
  place?: string;
};
export type Befores = ReadonlyMap<string, Before>;

/** One kind of call: what it is made for, and how a part of that is asked for. */
export type Step = {
  items: readonly string[];
  ask: (part: string[]) => Promise<Payload>;
  /**
   * Reads what the undo gives back. A batch is not changed before that is known: if the answer to the change is lost,
   * nothing could tell it any more.
   */
  before?: (part: string[]) => Promise<Befores>;
  /**
   * Finds items that are gone from their place when they are asked for again after a lost answer, and returns the results
   * that this answer had.
   */
  found?: (gone: string[], before: Befores) => Promise<Result[]>;
};

/** A change of many files and folders. */
export type Change = {
  steps: readonly Step[];
  /**
   * Whether asking twice does the same as asking once. If so, a batch whose answer is lost is asked again. What has gone
   * from its place by then and is not found counts as neither done nor failed.
   */
  repeatable: boolean;
  /** How far it is, such as "Moved 200 of 4,300". */
  progress: (done: number, all: number) => string;
  /** What is said of what was done; nothing for an undo. */
  done?: (results: readonly Result[]) => string;
  /** What is offered beside it if there is no undo. */
  offer?: Action;
  /** The change that takes back what was done. */
  back?: (results: readonly Result[]) => Change;
  /** Called after the undo. */
  undone?: () => void;
};

/** The answer to a call never came: whether it did anything is not known. */
class Lost extends Error {}

/**
 * Makes a change in batches. A batch that fails does not stop those after it; one whose answer never comes does, and so
 * does the person. Toasts say how far it is, what was done, with one undo for all of it, and what was not. Returns the
 * results of what was done.
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

/** What has become of the items. */
class Tally {
  done: Result[] = [];
  failed = 0;
  /** Why the first of them failed, and its path. */
  first: { item: string; reason: string } | null = null;
  unsure = 0;
  lost = false;
  /** What ended all of it. */
  error: unknown = null;

  fail(items: readonly string[], reason: string): void {
    this.first ??= { item: items[0] ?? "", reason };
    this.failed += items.length;
  }
  /** Counts an answer. */
  take(results: readonly Result[], before: Befores): void {
    for (const result of results)
      if (result.ok)
        this.done.push({ ...result, before: before.get(result.item) });
      else this.fail([result.item], result.error?.message ?? "");
  }
}

/** A toast for work that takes long, with the offer to stop it. */
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

  /** Aborts when the person stops the work. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }
  /** Shows how far it is now. Throws when the person has stopped it. */
  update(): void {
    if (this.#toast !== undefined) toasts.say(this.#toast, this.text());
    this.signal.throwIfAborted();
  }
  end(): void {
    clearTimeout(this.#timer);
    if (this.#toast !== undefined) toasts.close(this.#toast);
  }
}

/** Asks for one batch, and counts what has become of it. Throws Lost, what ends the whole change, or the signal's reason. */
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
      if (!(error instanceof ApiError)) throw error; // the person has left, or did not confirm
      if (error.code === "UNAUTHENTICATED") throw error;
      if (error.code !== "OFFLINE") {
        if (asked > 1)
          tally.unsure += part.length; // the call whose answer was lost may have changed them
        else tally.fail(part, error.message);
        return;
      }
    }
    const unsure = asked ? part.length : 0; // once it was asked for, it may have been changed
    if ((asked && !repeatable) || n === tries) {
      tally.unsure += unsure;
      throw new Lost();
    }
    try {
      await pauseOrOnline(backoff(n - 1), signal);
    } catch (reason) {
      tally.unsure += unsure; // stopped before it was asked again
      throw reason;
    }
  }
}

/** The items that are not found, and the results of the others. */
function divide(results: readonly Result[]): [string[], Result[]] {
  const isGone = ({ error }: Result) => error?.code === "NOT_FOUND";
  return [
    results.filter(isGone).map(({ item }) => item),
    results.filter((result) => !isGone(result)),
  ];
}

/** Says what was done, with the undo, and what was not. */
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
    toasts.changed(); // an older undo would not be of this change
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

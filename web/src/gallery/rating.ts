import { request } from "../api/request";
import { t } from "../messages/index.svelte";
import { toasts } from "../ui/toasts.svelte";
import { inBatches, tellError } from "./actions";
import { RateFiles } from "./documents";

/** A rating, or whether something is a favorite. */
export type Marks = { rating?: number; favorite?: boolean };

/**
 * Sets the rating, or whether they are favorites. There is an undo if `before` knows the marks of all; `undone` is
 * called after it.
 */
export async function rate(
  paths: readonly string[],
  change: Marks,
  before: (path: string) => Required<Marks> | undefined,
  undone: () => void,
): Promise<void> {
  const old = new Map(paths.map((path) => [path, before(path)]));
  const done = (await rateAll(paths, change)).map(({ item }) => item);
  const undo = async () => {
    try {
      const key = change.favorite === undefined ? "rating" : "favorite";
      const valueOf = (path: string) => old.get(path)![key];
      for (const value of new Set(done.map(valueOf)))
        await rateAll(
          done.filter((path) => valueOf(path) === value),
          { [key]: value },
        );
      undone();
    } catch (error) {
      tellError(error);
    }
  };
  if (done.length)
    toasts.show(
      "done",
      t("rate.done", { n: done.length }),
      done.every((path) => old.get(path))
        ? { label: t("ui.undo"), run: undo }
        : undefined,
    );
}

const rateAll = (paths: readonly string[], change: Marks) =>
  inBatches(
    paths,
    async (part) =>
      (await request(RateFiles, { input: { paths: part, ...change } }))
        .rateFiles,
  );

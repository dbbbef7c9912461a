import type { FolderEntry } from "./folders.svelte";

/**
 * How many folders a list shows at first, and how many more each time its end comes near: a folder may hold thousands.
 */
export const step = 60;

/**
 * The folders of a list that a tree shows: the first `most`, or more, so that the one on the way to `at` is among them.
 */
export function madeOf(
  all: readonly FolderEntry[],
  most: number,
  at: string,
): readonly FolderEntry[] {
  const on = all.findIndex(
    ({ path }) => at === path || at.startsWith(`${path}/`),
  );
  return all.slice(0, Math.max(most, on + 1));
}

import type { FolderEntry } from "./folders.svelte";

/**
 * The number of folders that a list shows at first, and by which it grows each time its end comes
 * near: a folder may contain thousands.
 */
export const step = 60;

/**
 * The folders of a list that a tree renders: the first `most`, or more if needed to include the one
 * on the path to `at`.
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

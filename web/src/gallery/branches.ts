import type { FolderEntry } from "./folders.svelte";

/** How many folders a list makes at first, and again each time somebody comes near its end: a folder may hold thousands. */
export const step = 60;

/** The folders that a tree makes of a list: the first `most`, and up to the one that `at` is or is in. */
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

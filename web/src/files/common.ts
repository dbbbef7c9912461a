import { parentOf } from "../gallery/folders.svelte";

/** The deepest folder that holds all paths; the root, which is empty, for none. */
export function commonFolder(paths: readonly string[]): string {
  let folder = parentOf(paths[0] ?? "");
  while (folder && !paths.every((path) => path.startsWith(`${folder}/`)))
    folder = parentOf(folder);
  return folder;
}

import { copy, move, tellError, trash } from "../gallery/actions";
import {
  folders,
  joinPath,
  movable,
  nameOf,
  parentOf,
} from "../gallery/folders.svelte";
import { folderAddress, match } from "../router/path";
import { here, navigate } from "../router/router.svelte";
import type { Host } from "./manage.svelte";

/** Moves or copies files and folders into a folder, and updates what shows them. Tells the person about errors. */
export async function relocate(
  all: readonly string[],
  folder: string,
  copies: boolean,
  host: Host,
): Promise<void> {
  const paths = copies ? [...all] : movable(all, folder);
  if (!paths.length) return;
  const homes = [folder, ...paths.map(parentOf)];
  const pathThere = (path: string) => joinPath(folder, nameOf(path));
  let gone: ReadonlySet<string> = new Set();
  const undone = () => {
    reload(homes);
    host.undone?.();
    for (const path of gone) follow(pathThere(path), path);
  };
  try {
    if (copies) await copy(paths, folder);
    else {
      gone = await move(paths, folder, undone);
      host.gone?.(gone);
      for (const path of gone) follow(path, pathThere(path));
    }
    reload(homes);
    host.changed?.();
  } catch (error) {
    tellError(error);
  }
}

/** Moves files and folders to the trash, and updates what shows them. Tells the person about errors. */
export async function discard(
  paths: readonly string[],
  host: Host,
): Promise<void> {
  const homes = paths.map(parentOf);
  const restored = () => {
    reload(homes);
    host.undone?.();
  };
  try {
    const gone = await trash(paths, restored);
    reload(homes);
    host.gone?.(gone);
    for (const path of gone) follow(path, null);
  } catch (error) {
    tellError(error);
  }
}

/** Loads folders again whose content has changed. */
export function reload(homes: readonly string[]): void {
  for (const home of new Set(homes))
    void folders.reload(home).catch(() => undefined);
}

/**
 * If the page shows a folder that has moved, or something in it, it goes to the new path. If the folder is gone, which
 * null says, it goes to the parent folder.
 */
export function follow(from: string, to: string | null): void {
  const shown = match("/f/*folder", here.path)?.folder;
  if (shown !== from && !shown?.startsWith(`${from}/`)) return;
  const now = to === null ? parentOf(from) : to + shown.slice(from.length);
  navigate(folderAddress(now), { replace: true });
}

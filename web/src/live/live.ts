import type { FolderChangeKind, IndexStateFragment } from "../api/graphql";
import { positions } from "../api/position";
import { follow } from "../api/stream";
import { FolderChanges, IndexChanges } from "./documents";
import { SharedStream } from "./shared";

/** A change in the library by anybody. `RELOAD`: anything may have changed since that position. */
export type Change = {
  kind: FolderChangeKind;
  path: string;
  isFile: boolean;
  position?: string | null;
};

/**
 * Changes anywhere in the library. A stream begins with `RELOAD`, which is passed on if a change
 * was missed.
 */
export const changes = new SharedStream<Change>(
  "changes",
  async function* (signal) {
    for await (const { folderChanges } of follow(FolderChanges, {}, signal)) {
      if (!folderChanges) continue;
      const { kind, path, file, position } = folderChanges;
      yield { kind, path, isFile: file !== null, position };
    }
  },
  (all) =>
    all.filter(
      ({ kind, position }) =>
        kind !== "RELOAD" || !position || !positions.current(position),
    ),
);

positions.whenMissed(() =>
  changes.tell([{ kind: "RELOAD", path: "", isFile: false }]),
);

/** The state of the index, initially and after each change. */
export const indexStates = new SharedStream<IndexStateFragment>(
  "index",
  async function* (signal) {
    for await (const { indexStatus } of follow(IndexChanges, {}, signal))
      if (indexStatus) yield indexStatus;
  },
);

/**
 * What changes require of a list of files. A removed path may be a folder, or a file that the list
 * does not contain.
 */
export type Effects = {
  removed: Set<string>;
  touched: Set<string>;
  reload: boolean;
};

/** The effects of changes on a list of a folder's files, some of which are loaded. */
export function effectsOn(
  folder: string,
  recursive: boolean,
  knows: (path: string) => boolean,
  all: readonly Change[],
): Effects {
  const effects: Effects = {
    removed: new Set(),
    touched: new Set(),
    reload: false,
  };
  for (const { kind, path, isFile } of all) {
    if (kind === "RELOAD") {
      effects.reload = true;
      continue;
    }
    const inside = recursive
      ? !folder || path.startsWith(`${folder}/`)
      : path.slice(0, Math.max(0, path.lastIndexOf("/"))) === folder;
    if (!inside) continue;
    if (kind === "REMOVED") {
      effects.touched.delete(path);
      effects.removed.add(path);
    } else if (isFile) {
      if (effects.removed.delete(path) || !knows(path)) effects.reload = true;
      else effects.touched.add(path);
    }
  }
  return effects;
}

import { allOf } from "../api/pages";
import { ApiError, request } from "../api/request";
import {
  joinPath,
  movable,
  folders,
  nameOf,
  parentOf,
} from "../gallery/folders.svelte";
import { tellError } from "../gallery/actions";
import { formatNumber } from "../messages/format";
import { t, type Key } from "../messages/index.svelte";
import { folderAddress, match } from "../router/path";
import { here, navigate } from "../router/router.svelte";
import { toasts, undo } from "../ui/toasts.svelte";
import {
  run,
  type Before,
  type Befores,
  type Change,
  type Result,
  type Step,
} from "./bulk";
import {
  CopyFiles,
  FilesThere,
  FolderThere,
  LatelyTrashed,
  MoveFiles,
  NotesOf,
  PurgeFiles,
  RateFiles,
  RestoreFiles,
  TagFiles,
  TrashFiles,
} from "./documents";
import type { Host, Marks } from "./manage.svelte";

// Defines each change of files and folders: its calls, its undo and its messages.

/** The progress function for a message with `n` and `all`. */
export const progressOf = (key: Key) => (done: number, all: number) =>
  t(key, { n: formatNumber(done), all: formatNumber(all) });
const undoing = progressOf("bulk.undoing");

const hasFolders = (results: readonly Result[]) =>
  results.some(({ folder, trashed }) => folder || trashed?.isFolder);
/** The path of an item after a change. */
const placeOf = ({ file, folder }: Pick<Result, "file" | "folder">) =>
  file?.path ?? folder?.path;
const placesOf = (results: readonly Result[]) =>
  results.flatMap((result) => placeOf(result) ?? []);

/** Groups values by a key; keys are equal if their JSON is. */
function byKey<K, V>(pairs: Iterable<readonly [K, V]>): [K, V[]][] {
  const groups = new Map<string, [K, V[]]>();
  for (const [key, value] of pairs) {
    const text = JSON.stringify(key);
    const group = groups.get(text);
    if (group) group[1].push(value);
    else groups.set(text, [key, [value]]);
  }
  return [...groups.values()];
}

/** The ids of files, which they keep when they are moved, by their paths. */
async function idsOf(paths: string[]): Promise<Map<string, Before>> {
  const { filesByPath } = await request(FilesThere, { paths });
  return new Map(filesByPath?.map(({ path, id }) => [path, { id }]));
}

/**
 * Finds moved files and folders at their new paths. `places` maps old paths to new ones. `before` has
 * the ids that the files had at their old paths: a different file at the new path is not a moved one.
 * Null if the ids are unknown.
 */
async function arrived(
  places: ReadonlyMap<string, string>,
  before: Befores | null,
): Promise<Result[]> {
  const files = await idsOf([...places.values()]);
  const folderAt = (path: string) =>
    request(FolderThere, { path }).then(
      ({ folder }) => folder,
      (error: unknown) => {
        if ((error as Partial<ApiError>).code === "NOT_FOUND") return null;
        throw error;
      },
    );
  const found = await Promise.all(
    [...places].map(async ([item, path]): Promise<Result[]> => {
      const file = files.get(path);
      if (file)
        return !before || file.id === before.get(item)?.id
          ? [{ item, ok: true, file: { path } }]
          : [];
      const folder = await folderAt(path);
      return folder ? [{ item, ok: true, folder }] : [];
    }),
  );
  return found.flat();
}

const moving = (items: readonly string[], folder: string): Step => ({
  items,
  before: idsOf,
  found: (gone, before) =>
    arrived(
      new Map(gone.map((path) => [path, joinPath(folder, nameOf(path))])),
      before,
    ),
  ask: async (paths) =>
    (
      await request(MoveFiles, {
        input: { paths, folder, onConflict: "ERROR" },
      })
    ).moveFiles,
});

/** Moves files and folders into a folder. */
const moveTo = (items: readonly string[], folder: string): Change => ({
  steps: [moving(items, folder)],
  repeatable: true,
  progress: progressOf("bulk.moving"),
  done: (results) =>
    t(hasFolders(results) ? "bulk.movedItems" : "bulk.moved", {
      n: results.length,
      folder: folder || t("nav.library"),
    }),
  back: (results) => ({
    steps: byKey(
      results.flatMap((result) =>
        placesOf([result]).map((now) => [parentOf(result.item), now] as const),
      ),
    ).map(([home, paths]) => moving(paths, home)),
    repeatable: true,
    progress: undoing,
  }),
});

const renaming = (path: string, name: string): Step => ({
  items: [path],
  before: idsOf,
  found: (_, before) =>
    arrived(new Map([[path, joinPath(parentOf(path), name)]]), before),
  ask: async (paths) =>
    (
      await request(MoveFiles, {
        input: { paths, folder: parentOf(path), name, onConflict: "ERROR" },
      })
    ).moveFiles,
});

/** Gives files the names that `names` has by their paths. */
const renameEach = (names: ReadonlyMap<string, string>): Change => ({
  steps: [...names].map(([path, name]) => renaming(path, name)),
  repeatable: true,
  progress: progressOf("bulk.renaming"),
  done: (results) => t("bulk.renamedMany", { n: results.length }),
  back: (results) => ({
    // The last one first: an earlier file may have had the name that a later one got.
    steps: results
      .toReversed()
      .flatMap((result) =>
        placesOf([result]).map((now) => renaming(now, nameOf(result.item))),
      ),
    repeatable: true,
    progress: undoing,
  }),
});

/** Finds files and folders that were just moved to the trash: the newest entries with their paths. */
async function inTrash(paths: readonly string[]): Promise<Result[]> {
  const wanted = new Set(paths);
  const found: Result[] = [];
  await allOf(async (after) => {
    const { trashedFiles } = await request(LatelyTrashed, { after });
    const left = wanted.size;
    for (const { path, ...trashed } of trashedFiles?.nodes ?? [])
      if (wanted.delete(path)) found.push({ item: path, ok: true, trashed });
    return wanted.size && wanted.size < left ? trashedFiles : null;
  });
  return found;
}

const trashing = (items: readonly string[]): Step => ({
  items,
  found: inTrash,
  ask: async (paths) =>
    (await request(TrashFiles, { input: { paths } })).trashFiles,
});

/**
 * Copies files and folders into a folder; the copy gets a number if its name is taken. Repeating it
 * would copy twice.
 */
const copyTo = (items: readonly string[], folder: string): Change => ({
  steps: [
    {
      items,
      ask: async (paths) =>
        (
          await request(CopyFiles, {
            input: { paths, folder, onConflict: "RENAME" },
          })
        ).copyFiles,
    },
  ],
  repeatable: false,
  progress: progressOf("bulk.copying"),
  done: (results) =>
    t(hasFolders(results) ? "bulk.copiedItems" : "bulk.copied", {
      n: results.length,
      folder: folder || t("nav.library"),
    }),
  back: (results) => ({
    steps: [trashing(placesOf(results))],
    repeatable: true,
    progress: undoing,
  }),
});

const restoring = (items: readonly string[]): Step => ({
  items,
  ask: async (ids) =>
    (await request(RestoreFiles, { input: { ids, onConflict: "RENAME" } }))
      .restoreFiles,
});

/** Moves files and folders to the trash. */
const toTrash = (items: readonly string[]): Change => ({
  steps: [trashing(items)],
  repeatable: true,
  progress: progressOf("bulk.trashing"),
  done: (results) =>
    t(hasFolders(results) ? "bulk.trashedItems" : "bulk.trashed", {
      n: results.length,
    }),
  back: (results) => ({
    steps: [restoring(results.flatMap(({ trashed }) => trashed?.id ?? []))],
    repeatable: true,
    progress: undoing,
  }),
});

/** Restores items from the trash. */
const fromTrash = (ids: readonly string[]): Change => ({
  steps: [restoring(ids)],
  repeatable: true,
  progress: progressOf("bulk.restoring"),
  done: (results) => t("trash.restored", { n: results.length }),
  back: (results) => ({
    steps: [trashing(placesOf(results))],
    repeatable: true,
    progress: undoing,
  }),
});

const tagging = (
  items: readonly string[],
  add: readonly string[],
  remove: readonly string[],
): Step => ({
  items,
  ask: async (paths) =>
    (
      await request(TagFiles, {
        input: { paths, add: [...add], remove: [...remove] },
      })
    ).tagFiles,
});

const fold = (tag: string) => tag.toLowerCase();

/** The notes of files, by path. */
async function notesOf(paths: string[]): Promise<Map<string, Before>> {
  const { filesByPath } = await request(NotesOf, { paths });
  return new Map(filesByPath?.map(({ path, ...notes }) => [path, notes]));
}

/** Adds and removes tags. The undo does not affect other tags, which may have changed since. */
const retag = (
  items: readonly string[],
  add: readonly string[],
  remove: readonly string[],
): Change => ({
  steps: [{ ...tagging(items, add, remove), before: notesOf }],
  repeatable: true,
  progress: progressOf("bulk.tagging"),
  done: (results) => t("bulk.tagged", { n: results.length }),
  back: (results) => ({
    steps: byKey(
      results.map(({ item, before }) => {
        const had = before?.tags ?? [];
        const known = new Set(had.map(fold));
        const gone = new Set(remove.map(fold));
        const lost = had.filter((tag) => gone.has(fold(tag)));
        const gained = before ? add.filter((tag) => !known.has(fold(tag))) : [];
        return [[lost, gained], item] as const;
      }),
    )
      .filter(([[lost, gained]]) => lost.length || gained.length)
      .map(([[lost, gained], paths]) => tagging(paths, lost, gained)),
    repeatable: true,
    progress: undoing,
  }),
});

const marking = (items: readonly string[], marks: Marks): Step => ({
  items,
  ask: async (paths) =>
    (await request(RateFiles, { input: { paths, ...marks } })).rateFiles,
});

/** Sets the rating or the favorite flag of files. */
const mark = (items: readonly string[], marks: Marks): Change => ({
  steps: [{ ...marking(items, marks), before: notesOf }],
  repeatable: true,
  progress: progressOf("bulk.rating"),
  done: (results) => t("rate.done", { n: results.length }),
  back: (results) => ({
    steps: byKey(
      results.flatMap(({ item, before }): [Marks, string][] => {
        if (!before) return [];
        const { rating, favorite } = before;
        const old: Marks =
          marks.rating === undefined ? { favorite } : { rating };
        const same =
          old.rating === marks.rating && old.favorite === marks.favorite;
        return same ? [] : [[old, item]];
      }),
    ).map(([old, paths]) => marking(paths, old)),
    repeatable: true,
    progress: undoing,
  }),
});

const purging = (ids: readonly string[]): Change => ({
  steps: [
    {
      items: ids,
      found: async (gone) => gone.map((item) => ({ item, ok: true })),
      ask: async (part) =>
        (await request(PurgeFiles, { input: { ids: part } })).purgeFiles,
    },
  ],
  repeatable: true,
  progress: progressOf("bulk.purging"),
  done: () => t("trash.purged"),
});

const itemsOf = (results: readonly Result[]) =>
  new Set(results.map(({ item }) => item));

/** Moves or copies files and folders into a folder, and refreshes the lists that show them. */
export async function relocate(
  all: readonly string[],
  folder: string,
  copies: boolean,
  host: Host,
): Promise<void> {
  const paths = copies ? [...all] : movable(all, folder);
  if (!paths.length) return;
  const homes = [folder, ...paths.map(parentOf)];
  const there = new Map<string, string>();
  const undone = () => {
    reload(homes);
    host.undone?.();
    for (const [path, now] of there) follow(now, path);
  };
  const change = copies ? copyTo(paths, folder) : moveTo(paths, folder);
  const results = await run({ ...change, undone });
  if (!results.length) return;
  if (!copies) {
    for (const { item, ...now } of results)
      there.set(item, placeOf(now) ?? joinPath(folder, nameOf(item)));
    host.gone?.(itemsOf(results));
    for (const [path, now] of there) follow(path, now);
  }
  reload(homes);
  host.changed?.();
}

/** Moves files and folders to the trash, and refreshes the lists that show them. */
export async function discard(
  paths: readonly string[],
  host: Host,
): Promise<void> {
  const homes = paths.map(parentOf);
  const undone = () => {
    reload(homes);
    host.undone?.();
  };
  const results = await run({ ...toTrash(paths), undone });
  if (!results.length) return;
  reload(homes);
  host.gone?.(itemsOf(results));
  for (const { item } of results) follow(item, null);
}

/** Renames many files, and refreshes the lists that show them. */
export async function renameAll(
  names: ReadonlyMap<string, string>,
  host: Host,
): Promise<void> {
  const homes = [...names.keys()].map(parentOf);
  const undone = () => {
    reload(homes);
    host.undone?.();
  };
  const results = await run({ ...renameEach(names), undone });
  if (!results.length) return;
  reload(homes);
  host.gone?.(itemsOf(results));
  host.changed?.();
}

/** Restores items from the trash, and refreshes the lists of their folders. */
export async function restore(
  items: readonly { id: string; path: string }[],
  undone: () => void,
): Promise<void> {
  const homes = items.map(({ path }) => parentOf(path));
  const back = () => {
    reload(homes);
    undone();
  };
  await run({ ...fromTrash(items.map(({ id }) => id)), undone: back });
  reload(homes);
}

/** Permanently deletes items of the trash. */
export const purge = (ids: readonly string[]) => run(purging(ids));

/** Sets the rating or the favorite flag of files. */
export const rate = (paths: readonly string[], marks: Marks, host: Host) =>
  described(mark(paths, marks), host);

/** Adds and removes tags. Returns the number of files changed. */
export const tag = (
  paths: readonly string[],
  add: readonly string[],
  remove: readonly string[],
  host: Host,
) => described(retag(paths, add, remove), host);

async function described(change: Change, host: Host): Promise<number> {
  const results = await run({ ...change, undone: host.undone });
  if (results.length) host.changed?.();
  return results.length;
}

/**
 * Renames a file or folder, with an undo. Returns its new path; after the undo, `undone` is called
 * with that path. Throws if the server refuses.
 */
export async function rename(
  path: string,
  name: string,
  undone: (path: string) => void,
): Promise<string> {
  const renamed = await renameTo(path, name);
  const takeBack = async () => {
    try {
      await renameTo(renamed, nameOf(path));
      undone(renamed);
    } catch (error) {
      tellError(error);
    }
  };
  const text = t("bulk.renamed", { name: nameOf(renamed) });
  toasts.show("done", text, undo(takeBack));
  return renamed;
}

async function renameTo(path: string, name: string): Promise<string> {
  const folder = parentOf(path);
  const place = joinPath(folder, name);
  const before = await idsOf([path]);
  const ask = () =>
    request(MoveFiles, {
      input: { paths: [path], folder, name, onConflict: "ERROR" },
    });
  const { moveFiles } = await ask().catch((error: unknown) => {
    if ((error as Partial<ApiError>).code === "OFFLINE") return ask();
    throw error;
  });
  const result = moveFiles?.results[0];
  if (!result?.error) return (result && placeOf(result)) ?? place;
  const { code, message } = result.error;
  // The answer to an earlier request may have been lost, even to one before the dialog was last confirmed.
  const places = new Map([[path, place]]);
  if (
    code === "NOT_FOUND" &&
    (await arrived(places, before.size ? before : null)).length
  )
    return place;
  throw new ApiError(code, message);
}

/** Reloads folders whose content has changed. */
export function reload(homes: readonly string[]): void {
  for (const home of new Set(homes))
    void folders.reload(home).catch(() => undefined);
}

/**
 * If the page shows a moved folder or something in it, goes to the new path. If the folder was
 * removed (`to` is null), goes to its parent.
 */
export function follow(from: string, to: string | null): void {
  const shown = match("/f/*folder", here.path)?.folder;
  if (shown !== from && !shown?.startsWith(`${from}/`)) return;
  const now = to === null ? parentOf(from) : to + shown.slice(from.length);
  navigate(folderAddress(now), { replace: true });
}

import type { RefusalFragment } from "../api/graphql";
import { ApiError, refuse, request } from "../api/request";
import { t } from "../messages/index.svelte";
import { toasts } from "../ui/toasts.svelte";
import {
  CopyFiles,
  MoveFiles,
  RestoreFiles,
  TagFiles,
  TrashFiles,
} from "./documents";
import { joinPath, nameOf, parentOf } from "./folders.svelte";

/** The API takes so many paths in one call. */
const batch = 1000;

type Result = {
  item: string;
  ok: boolean;
  error?: { code: string; message: string } | null;
};
type Payload<R> =
  { results: R[]; userErrors: readonly RefusalFragment[] } | null | undefined;

/**
 * Does something with many things, as many at a time as the API takes. Answers with what came of those that it could be done with; says
 * what failed. When a call fails, those before it count, and those after it are left: their failure is said too, and thrown if nothing was done.
 */
export async function inBatches<T, R extends Result>(
  all: readonly T[],
  ask: (part: T[]) => Promise<Payload<R>>,
): Promise<R[]> {
  const results: R[] = [];
  try {
    for (let at = 0; at < all.length; at += batch) {
      const payload = await ask(all.slice(at, at + batch));
      refuse(payload?.userErrors ?? []);
      results.push(...(payload?.results ?? []));
    }
  } catch (error) {
    if (!results.some((result) => result.ok)) throw error;
    tellError(error);
  }
  tell(results);
  return results.filter((result) => result.ok);
}

/** Says what could not be done, when something could not. */
function tell(results: readonly Result[]): void {
  const failed = results.filter((result) => !result.ok);
  if (failed.length)
    toasts.show(
      "error",
      t("gallery.someFailed", {
        n: failed.length,
        reason: failed[0]?.error?.message ?? "",
      }),
    );
}

/** Shows an error as a toast. */
export function tellError(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  toasts.show(
    "error",
    error instanceof ApiError ? error.message : t("error.unknown"),
  );
}

/** Moves files and folders to the trash, with an undo. Returns the paths that are gone; `restored` is called after the undo. */
export async function trash(
  paths: readonly string[],
  restored: () => void,
): Promise<Set<string>> {
  const results = await inBatches(
    paths,
    async (part) =>
      (await request(TrashFiles, { input: { paths: part } })).trashFiles,
  );
  const ids = results.flatMap((result) => result.trashed?.id ?? []);
  const undo = async () => {
    try {
      await inBatches(
        ids,
        async (part) =>
          (
            await request(RestoreFiles, {
              input: { ids: part, onConflict: "RENAME" },
            })
          ).restoreFiles,
      );
      restored();
    } catch (error) {
      tellError(error);
    }
  };
  const gone = new Set(results.map((result) => result.item));
  const folders = results.some((result) => result.trashed?.isFolder);
  if (gone.size)
    toasts.show(
      "done",
      t(folders ? "gallery.trashedItems" : "gallery.trashed", { n: gone.size }),
      ids.length ? { label: t("ui.undo"), run: undo } : undefined,
    );
  return gone;
}

/** Moves files and folders into a folder, with an undo. Returns the old paths of what moved. */
export async function move(
  paths: readonly string[],
  folder: string,
  undone: () => void,
): Promise<Set<string>> {
  const { moved, folders } = await moveAll(paths, folder);
  const undo = async () => {
    try {
      const back = new Map<string, string[]>();
      for (const [from, to] of moved)
        back.set(parentOf(from), [...(back.get(parentOf(from)) ?? []), to]);
      for (const [home, all] of back) await moveAll(all, home);
      undone();
    } catch (error) {
      tellError(error);
    }
  };
  if (moved.size)
    toasts.show(
      "done",
      t(folders ? "gallery.movedItems" : "gallery.moved", {
        n: moved.size,
        folder: folder || t("nav.library"),
      }),
      { label: t("ui.undo"), run: undo },
    );
  return new Set(moved.keys());
}

async function moveAll(
  paths: readonly string[],
  folder: string,
): Promise<{ moved: Map<string, string>; folders: boolean }> {
  const results = await inBatches(
    paths,
    async (part) =>
      (
        await request(MoveFiles, {
          input: { paths: part, folder, onConflict: "ERROR" },
        })
      ).moveFiles,
  );
  const pairs = results.map(
    (result) =>
      [result.item, result.file?.path ?? result.folder?.path] as const,
  );
  const moved = new Map(
    pairs.filter((pair): pair is readonly [string, string] => Boolean(pair[1])),
  );
  return { moved, folders: results.some((result) => result.folder) };
}

/**
 * Renames a file or folder, with an undo. Returns its new path; after the undo, `undone` is called with that path.
 * Throws when the server refuses.
 */
export async function rename(
  path: string,
  name: string,
  undone: (path: string) => void,
): Promise<string> {
  const renamed = await renameTo(path, name);
  const undo = async () => {
    try {
      await renameTo(renamed, nameOf(path));
      undone(renamed);
    } catch (error) {
      tellError(error);
    }
  };
  toasts.show("done", t("gallery.renamed", { name: nameOf(renamed) }), {
    label: t("ui.undo"),
    run: undo,
  });
  return renamed;
}

async function renameTo(path: string, name: string): Promise<string> {
  const folder = parentOf(path);
  const { moveFiles } = await request(MoveFiles, {
    input: { paths: [path], folder, name, onConflict: "ERROR" },
  });
  refuse(moveFiles?.userErrors ?? []);
  const result = moveFiles?.results[0];
  refuse(result?.error ? [result.error] : []);
  return result?.file?.path ?? result?.folder?.path ?? joinPath(folder, name);
}

/** Copies files and folders into a folder; a name that is taken there gets a number. */
export async function copy(
  paths: readonly string[],
  folder: string,
): Promise<void> {
  const done = await inBatches(
    paths,
    async (part) =>
      (
        await request(CopyFiles, {
          input: { paths: part, folder, onConflict: "RENAME" },
        })
      ).copyFiles,
  );
  const folders = done.some((result) => result.folder);
  if (done.length)
    toasts.show(
      "done",
      t(folders ? "gallery.copiedItems" : "gallery.copied", {
        n: done.length,
        folder: folder || t("nav.library"),
      }),
    );
}

/** Adds and removes tags. */
export async function tag(
  paths: readonly string[],
  add: string[],
  remove: string[],
): Promise<void> {
  const done = await inBatches(
    paths,
    async (part) =>
      (await request(TagFiles, { input: { paths: part, add, remove } }))
        .tagFiles,
  );
  if (done.length) toasts.show("done", t("gallery.tagged", { n: done.length }));
}

import { SvelteMap } from "svelte/reactivity";
import { allOf } from "../api/pages";
import { request } from "../api/request";
import type { Change } from "../live/live";
import { Folders } from "./documents";

/** `hasFolders`: whether the index has subfolders for it. */
export type FolderEntry = {
  id: string;
  path: string;
  name: string;
  hasFolders?: boolean | null;
};

/** Caches the loaded subfolders of each folder. */
export class FolderStore {
  readonly #known = new SvelteMap<string, FolderEntry[]>();
  readonly #busy = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();
  readonly #versions = new SvelteMap<string, number>();

  /** The subfolders of a folder; undefined until they are loaded. */
  children(path: string): FolderEntry[] | undefined {
    return this.#known.get(path);
  }

  /** Whether a folder has subfolders, as far as is known. */
  branches(folder: FolderEntry): boolean {
    return (
      (this.children(folder.path)?.length ??
        Number(folder.hasFolders ?? false)) > 0
    );
  }

  /** Loads the subfolders of a folder once. */
  load(path: string): Promise<void> {
    return this.#known.has(path)
      ? Promise.resolve()
      : (this.#busy.get(path) ?? this.reload(path));
  }

  /** Loads them again after a change: a running request may predate it. */
  reload(path: string): Promise<void> {
    const running = this.#busy.get(path);
    if (running) {
      const next =
        this.#next.get(path) ??
        running
          .catch(() => undefined)
          .then(() => (this.#next.delete(path), this.reload(path)));
      this.#next.set(path, next);
      return next;
    }
    const promise = this.#fetch(path).finally(
      () => this.#busy.get(path) === promise && this.#busy.delete(path),
    );
    this.#busy.set(path, promise);
    return promise;
  }

  /** A number that increases with every change in a folder or below it. */
  version(path: string): number {
    return this.#versions.get(path) ?? 0;
  }

  /** Applies changes. Folders that were never loaded are not requested. */
  follow(changes: readonly Change[]): void {
    const outdated = new Set<string>();
    const touched = new Set<string>();
    for (const { kind, path, isFile } of changes) {
      if (kind === "RELOAD")
        for (const known of this.#known.keys()) outdated.add(known);
      const home = parentOf(path);
      const known =
        this.#known.get(home)?.some((entry) => entry.path === path) ?? false;
      if (!isFile && known === (kind === "REMOVED")) outdated.add(home);
      // For a closed folder, its parent's list says whether it can be expanded.
      const closed = this.#known.has(home)
        ? undefined
        : this.#known.get(parentOf(home))?.find((entry) => entry.path === home);
      if (
        !isFile &&
        closed &&
        Boolean(closed.hasFolders) === (kind === "REMOVED")
      )
        outdated.add(parentOf(home));
      for (const folder of ["", ...trail(home)]) touched.add(folder);
    }
    for (const folder of touched)
      this.#versions.set(folder, this.version(folder) + 1);
    for (const folder of outdated)
      if (this.#known.has(folder))
        void this.reload(folder).catch(() => undefined);
  }

  /** Discards everything when the account changes. */
  clear(): void {
    this.#known.clear();
    this.#busy.clear();
    this.#next.clear();
    this.#versions.clear();
  }

  async #fetch(folder: string): Promise<void> {
    const found = await allOf(
      async (after) => (await request(Folders, { folder, after })).folders,
    );
    this.#known.set(folder, found as FolderEntry[]);
  }
}

export const folders = new FolderStore();

/** The parent folder of a path; empty for the root. */
export const parentOf = (path: string) =>
  path.slice(0, Math.max(0, path.lastIndexOf("/")));
/** The last part of a path. */
export const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
/** Joins a folder and a name to a path. */
export const joinPath = (folder: string, name: string) =>
  folder ? `${folder}/${name}` : name;
/** The folders on the path, beginning below the root and including the path itself. */
export const trail = (path: string) =>
  path
    ? path.split("/").map((_, i, parts) => parts.slice(0, i + 1).join("/"))
    : [];
/** The paths that can be moved into a folder: not those already in it, and no folder into itself. */
export function movable(paths: readonly string[], folder: string): string[] {
  return paths.filter(
    (path) =>
      parentOf(path) !== folder &&
      folder !== path &&
      !folder.startsWith(`${path}/`),
  );
}

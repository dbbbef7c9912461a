import { SvelteMap } from "svelte/reactivity";
import { allOf } from "../api/pages";
import { request } from "../api/request";
import type { Change } from "../live/live";
import { Folders } from "./documents";

/** `hasFolders`: the index knows of folders in it. */
export type FolderEntry = {
  id: string;
  path: string;
  name: string;
  hasFolders?: boolean | null;
};

/** The folders that were asked for, by the folder that holds them. */
export class FolderStore {
  readonly #known = new SvelteMap<string, FolderEntry[]>();
  readonly #busy = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();
  readonly #versions = new SvelteMap<string, number>();

  /** The folders in a folder; undefined while they are not here. */
  children(path: string): FolderEntry[] | undefined {
    return this.#known.get(path);
  }

  /** Whether a folder has folders in it, as far as somebody has looked. */
  branches(folder: FolderEntry): boolean {
    return (
      (this.children(folder.path)?.length ??
        Number(folder.hasFolders ?? false)) > 0
    );
  }

  /** Asks for the folders in a folder, once. */
  load(path: string): Promise<void> {
    return this.#known.has(path)
      ? Promise.resolve()
      : (this.#busy.get(path) ?? this.reload(path));
  }

  /** Asks again, after something there has changed: what is under way may have been asked before. */
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

  /** A number that grows with every change in a folder or below it. */
  version(path: string): number {
    return this.#versions.get(path) ?? 0;
  }

  /** Takes in what has changed. Of folders that were never asked for nothing is asked. */
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
      // A folder that is closed: the list it is in says whether it can be opened.
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

  /** Forgets everything, for another person. */
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

/** The folder that holds a path; empty for the root. */
export const parentOf = (path: string) =>
  path.slice(0, Math.max(0, path.lastIndexOf("/")));
/** The last part of a path. */
export const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
/** A name in a folder. */
export const joinPath = (folder: string, name: string) =>
  folder ? `${folder}/${name}` : name;
/** The folders on the way to a path, from the root's first on, itself included. */
export const trail = (path: string) =>
  path
    ? path.split("/").map((_, i, parts) => parts.slice(0, i + 1).join("/"))
    : [];
/** The paths that can be moved into a folder: not those that are in it already, and no folder into itself. */
export function movable(paths: readonly string[], folder: string): string[] {
  return paths.filter(
    (path) =>
      parentOf(path) !== folder &&
      folder !== path &&
      !folder.startsWith(`${path}/`),
  );
}

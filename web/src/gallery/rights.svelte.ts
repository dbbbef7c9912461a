import { SvelteMap } from "svelte/reactivity";
import type { Right } from "../api/graphql";
import { ApiError, request } from "../api/request";
import type { Change } from "../live/live";
import { session } from "../session/session.svelte";
import { FolderRight } from "./documents";
import { parentOf } from "./folders.svelte";

// The person's rights on folders. Null means no right: the folder only leads to those that they may see.
const known = new SvelteMap<string, Right | null>();
// The folders requested last, whose rights are on screen.
let asked: string[] = [];
const mostAsked = 30;
session.onLeave(() => {
  known.clear();
  asked = [];
});

/** Requests the person's right on a folder, each time, because rights may change at any time. */
export async function askRight(path: string): Promise<void> {
  if (!session.mayEdit || session.mayAdminister) return; // admins have every right on every folder
  asked = [path, ...asked.filter((one) => one !== path)].slice(0, mostAsked);
  const { folder } = await request(FolderRight, { path });
  if (folder) known.set(path, folder.access ?? null);
}

/**
 * Requests rights again after changes that may affect them. Lists of files are reloaded together
 * with their rights.
 */
export function followRights(all: readonly Change[]): void {
  if (!all.some(({ kind }) => kind === "RELOAD")) return;
  for (const path of asked)
    askRight(path).catch(
      (error: unknown) =>
        error instanceof ApiError &&
        error.code === "NOT_FOUND" &&
        known.set(path, null),
    );
}

/** Records the rights on folders from loaded files: rights are granted on folders. */
export function noteRights(
  files: readonly { path: string; access?: Right | null }[],
): void {
  if (!session.mayEdit) return;
  for (const { path, access } of files)
    if (access) known.set(parentOf(path), access);
}

/** Whether the person may change the content of a folder, as far as is known. The server enforces it. */
export function mayEdit(folder: string): boolean {
  const right = known.get(folder);
  return session.mayEdit && right !== "VIEW" && right !== null;
}

/** Whether the person may grant rights on a folder. */
export const mayManage = (folder: string): boolean =>
  session.mayAdminister || (session.mayEdit && known.get(folder) === "MANAGE");

/** Whether the person may change a file; unknown if it is not loaded. */
export const mayEditFile = (
  file: { access?: Right | null } | null | undefined,
): boolean => session.mayEdit && file?.access !== "VIEW";

/** Whether the person may change each of these files, as far as is known. */
export const mayEditAll = (paths: Iterable<string>): boolean =>
  session.mayEdit && [...paths].every((path) => mayEdit(parentOf(path)));

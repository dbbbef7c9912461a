import { SvelteMap } from "svelte/reactivity";
import type { Right } from "../api/graphql";
import { request } from "../api/request";
import { session } from "../session/session.svelte";
import { FolderRight } from "./documents";

// What the person may do with the folders that were asked for. Null: the folder only leads to those that they may see.
const known = new SvelteMap<string, Right | null>();
session.onLeave(() => known.clear());

/** Asks what the person may do with a folder. Each time, because rights may change at any time. */
export async function askRight(path: string): Promise<void> {
  if (!session.mayEdit) return;
  const { folder } = await request(FolderRight, { path });
  if (folder) known.set(path, folder.access ?? null);
}

/** Whether the person may change what is in a folder, as far as is known. The server refuses the rest. */
export function mayEdit(folder: string): boolean {
  const right = known.get(folder);
  return session.mayEdit && right !== "VIEW" && right !== null;
}

/** Whether the person may grant rights on a folder. */
export const mayManage = (folder: string): boolean =>
  session.mayEdit && known.get(folder) === "MANAGE";

/** Whether the person may change a file; of one that is not here yet nothing is known. */
export const mayEditFile = (
  file: { access?: Right | null } | null | undefined,
): boolean => session.mayEdit && file?.access !== "VIEW";

import { createStore, delMany, setMany, values } from "idb-keyval";
import type { Policy } from "./upload.svelte";

/** What is stored about a file until it is uploaded. */
export type Kept = {
  /** The key in the store. */
  place: string;
  user: string;
  /** The id of the tab that sends it. */
  tab: string;
  /** The target path. */
  path: string;
  size: number;
  type: string;
  /** The modification time of the file, in milliseconds since 1970. */
  modified: number;
  policy: Policy;
  /** Send it even if the library already has the same bytes. */
  always: boolean;
  /** Whether the application created it, such as an export, and it is not a file of the person's device. */
  made?: boolean;
  /** The key with which it is announced on the server, and the id of the upload after that. */
  key: string;
  id: string | null;
  /** The bytes themselves, if they exist nowhere else. */
  blob?: Blob;
  /** The dropped or chosen file or folder, and the path within it. */
  root?: FileSystemHandle;
  within?: readonly string[];
};

// Storage may be unavailable, for example in a private window. It only helps to resume; uploads work without
// it.
const store = () => createStore("safelight.uploads", "files");
let opened: ReturnType<typeof store> | null = null;
const files = () => (opened ??= store());

const lockOf = (tab: string) => `safelight.uploads.${tab}`;

/**
 * The id of this tab. From its first file on, the tab holds a Web Lock while it is open, which
 * tells other tabs that it sends its files itself. Over plain HTTP there are no locks: a tab then
 * resumes only its own files, and keeps its id over a reload.
 */
export const tab = nameOfTab();
function nameOfTab(): string {
  const name = crypto.getRandomValues(new Uint32Array(2)).join("-");
  if (typeof navigator === "undefined" || navigator.locks) return name;
  try {
    const kept = sessionStorage.getItem("safelight.uploads") ?? name;
    sessionStorage.setItem("safelight.uploads", kept);
    return kept;
  } catch {
    return name; // a frame without storage
  }
}
let held = false;
function hold(): void {
  if (held) return;
  held = true;
  void navigator.locks
    ?.request(lockOf(tab), () => new Promise(() => undefined))
    .catch(() => undefined);
}

/** Stores files, or changes to them. */
export async function keep(some: readonly Kept[]): Promise<void> {
  if (!some.length) return;
  hold();
  await setMany(
    some.map((one) => [one.place, one]),
    files(),
  ).catch(() => undefined);
}

/** Removes files from the store. */
export async function forget(places: readonly string[]): Promise<void> {
  await delMany([...places], files()).catch(() => undefined);
}

const byPath = (a: Kept, b: Kept) => (a.path < b.path ? -1 : 1);

/**
 * Takes over the files of a person that no open tab sends. Calls `freed` when a tab that sends
 * others is closed.
 */
export async function claim(user: string, freed: () => void): Promise<Kept[]> {
  const take = async () => {
    const all = await values<Kept>(files());
    if (!navigator.locks)
      return all
        .filter((one) => one.user === user && one.tab === tab)
        .sort(byPath);
    const locks = await navigator.locks.query();
    const open = new Set((locks.held ?? []).map((lock) => lock.name));
    const others = all.filter((one) => one.user === user && one.tab !== tab);
    const left = others.filter((one) => !open.has(lockOf(one.tab)));
    // The page before a reload may still appear as such a tab for a moment.
    const sending = new Set(
      others.map((one) => one.tab).filter((one) => open.has(lockOf(one))),
    );
    for (const one of sending)
      void navigator.locks
        .request(lockOf(one), () => undefined)
        .then(freed, () => undefined);
    const ours = left.map((one) => ({ ...one, tab }));
    await keep(ours);
    return ours.sort(byPath);
  };
  try {
    return await (navigator.locks
      ? navigator.locks.request("safelight.uploads", take)
      : take());
  } catch {
    return [];
  }
}

/** Whether the bytes of a stored file can be read: at once, once the person allows it, or not at all. */
export type Access = "granted" | "prompt" | "none";

/** Whether the bytes of a stored file can be read. */
export async function accessTo({ blob, root }: Kept): Promise<Access> {
  if (blob) return "granted";
  const state = await root
    ?.queryPermission({ mode: "read" })
    .catch(() => "denied");
  return state === "granted" || state === "prompt" ? state : "none";
}

/** Asks the person for permission to read what was dropped; needs a click. */
export async function allow(root: FileSystemHandle): Promise<void> {
  await root.requestPermission({ mode: "read" }).catch(() => "denied");
}

/** Reopens a stored file; null if it is missing, has changed or cannot be read. */
export async function reopen({
  blob,
  root,
  within = [],
  path,
  type,
  size,
  modified,
}: Kept): Promise<File | null> {
  if (blob)
    return new File([blob], path.slice(path.lastIndexOf("/") + 1), {
      type,
      lastModified: modified,
    });
  try {
    let at = root;
    for (const [i, name] of within.entries()) {
      const folder = at as FileSystemDirectoryHandle;
      at = await (i < within.length - 1
        ? folder.getDirectoryHandle(name)
        : folder.getFileHandle(name));
    }
    const file = await (at as FileSystemFileHandle | undefined)?.getFile();
    return file && file.size === size && file.lastModified === modified
      ? file
      : null;
  } catch {
    return null;
  }
}

import { createStore, delMany, setMany, values } from "idb-keyval";
import type { Policy } from "./upload.svelte";

/** What is remembered of a file until it is uploaded. */
export type Kept = {
  /** Its place in the store. */
  place: string;
  user: string;
  /** The tab that sends it. */
  tab: string;
  /** Where it is to be. */
  path: string;
  size: number;
  type: string;
  /** When the file was changed last, in milliseconds since 1970. */
  modified: number;
  policy: Policy;
  /** Send it even if the library has the same bytes. */
  always: boolean;
  /** The application made it, such as an export; it is not a file of the person's device. */
  made?: boolean;
  /** The upload on the server: what it is announced with, and its id once it is. */
  key: string;
  id: string | null;
  /** The bytes themselves, which are nowhere else. */
  blob?: Blob;
  /** What was dropped or chosen, the file itself or a folder, and the way in it. */
  root?: FileSystemHandle;
  within?: readonly string[];
};

// A browser may keep nothing for a page, for example in a private window; what is remembered is a help, and uploads do without.
const store = () => createStore("safelight.uploads", "files");
let opened: ReturnType<typeof store> | null = null;
const files = () => (opened ??= store());

const lockOf = (tab: string) => `safelight.uploads.${tab}`;

/**
 * This tab. From its first file on it holds a lock while it is open, by which others see that it sends its files itself. A page
 * over plain HTTP has no locks: there a tab goes on only with its own files, and keeps its name over a reload.
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
    return name; // a frame without storage of its own
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

/** Remembers files, or what has changed about them. */
export async function keep(some: readonly Kept[]): Promise<void> {
  if (!some.length) return;
  hold();
  await setMany(
    some.map((one) => [one.place, one]),
    files(),
  ).catch(() => undefined);
}

/** Forgets files. */
export async function forget(places: readonly string[]): Promise<void> {
  await delMany([...places], files()).catch(() => undefined);
}

const byPath = (a: Kept, b: Kept) => (a.path < b.path ? -1 : 1);

/** The files of a person that no open tab sends. They are this tab's from now on. Calls `freed` when a tab that sends others is gone. */
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
    // The page before a reload may be such a tab, too, for a moment.
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

/** What the browser remembers of a file without its bytes being read: whether they can be, once the person allows it. */
export type Access = "granted" | "prompt" | "none";

/** Whether the bytes of a file that is remembered can be read. */
export async function accessTo({ blob, root }: Kept): Promise<Access> {
  if (blob) return "granted";
  const state = await root
    ?.queryPermission({ mode: "read" })
    .catch(() => "denied");
  return state === "granted" || state === "prompt" ? state : "none";
}

/** Asks the person for what was dropped; needs a click. */
export async function allow(root: FileSystemHandle): Promise<void> {
  await root.requestPermission({ mode: "read" }).catch(() => "denied");
}

/** The file that is remembered; null if it is gone, has changed or cannot be read. */
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

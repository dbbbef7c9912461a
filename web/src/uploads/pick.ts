import { isAbort } from "../api/transport";

/** A file to upload, and its path within what was chosen. */
export type Picked = {
  file: File;
  path: string;
  /**
   * The file or folder that was chosen, which the browser can reopen after a reload, and the path
   * to the file in it.
   */
  root?: FileSystemHandle;
  within?: readonly string[];
  /** Whether the bytes exist only in memory. */
  only?: boolean;
};

/** Sorts files by name, DSC_9 before DSC_10: browsers return those of a folder in any order. */
export function byName(picked: Picked[]): Picked[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return picked.toSorted((a, b) => compare(a.path, b.path));
}

/** Whether the browser has a folder picker. */
export const picksFolders =
  typeof HTMLInputElement !== "undefined" &&
  "webkitdirectory" in HTMLInputElement.prototype &&
  matchMedia("(any-pointer: fine)").matches;

// On a phone, a plain file input opens the picture picker, which is better than a file picker.
const opensAgain = () => matchMedia("(any-pointer: fine)").matches;

/** Lets the person choose files; empty if they cancel. */
export async function pickFiles(): Promise<Picked[]> {
  if (!window.showOpenFilePicker || !opensAgain())
    return pickByInput((input) => (input.accept = "image/*,application/pdf"));
  const types = [{ accept: { "image/*": [], "application/pdf": [".pdf"] } }];
  const roots = await chosen(
    window.showOpenFilePicker({ multiple: true, types }),
  );
  return Promise.all((roots ?? []).map((root) => read(root, root, [])));
}

/** Lets the person choose one picture; null if they cancel. */
export async function pickFile(): Promise<File | null> {
  const [one] = await pickByInput((input) => {
    input.accept = "image/*,application/pdf";
    input.multiple = false;
  });
  return one?.file ?? null;
}

/** Lets the person choose a folder; empty if they cancel. */
export async function pickFolder(): Promise<Picked[]> {
  if (!window.showDirectoryPicker || !opensAgain())
    return pickByInput((input) => (input.webkitdirectory = true));
  const root = await chosen(window.showDirectoryPicker());
  const found: Picked[] = [];
  if (root) await walkHandle(root, root, [], found);
  return byName(found);
}

// Waits for the picker; null if the person cancels.
async function chosen<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isAbort(error)) return null;
    throw error;
  }
}

function pickByInput(
  set: (input: HTMLInputElement) => void,
): Promise<Picked[]> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    set(input);
    const hidden = (path: string) =>
      path.split("/").some((part) => part.startsWith("."));
    const all = () =>
      [...(input.files ?? [])].map((file) => ({
        file,
        path: file.webkitRelativePath || file.name,
      }));
    input.addEventListener("change", () =>
      resolve(
        input.webkitdirectory
          ? byName(all().filter(({ path }) => !hidden(path)))
          : all(),
      ),
    );
    input.addEventListener("cancel", () => resolve([]));
    input.click();
  });
}

/**
 * The name of a pasted file. Browsers call a picture without a name image.png; it is named after
 * the time instead.
 */
export function pastedName(file: { name: string }, now: Date): string {
  if (!/^image\.(\w+)$/.test(file.name)) return file.name;
  const two = (n: number) => String(n).padStart(2, "0");
  const time =
    [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join("-") +
    " " +
    [two(now.getHours()), two(now.getMinutes()), two(now.getSeconds())].join(
      ".",
    );
  return `${time}${file.name.slice("image".length)}`;
}

/** The dropped files, including those in dropped folders, without hidden ones. */
export async function filesOf(data: DataTransfer): Promise<Picked[]> {
  // All items are read synchronously: after the first await, the browser has emptied the list.
  const items = [...data.items].filter((item) => item.kind === "file");
  const dropped = items.map((item) => ({
    handle: item.getAsFileSystemHandle?.().catch(() => null),
    entry: item.webkitGetAsEntry?.() ?? item.getAsFile(),
  }));
  const found: Picked[] = [];
  for (const { handle, entry } of dropped) {
    const root = await handle;
    if (root) await walkHandle(root, root, [], found);
    else if (entry instanceof File)
      found.push({ file: entry, path: entry.name });
    else if (entry) await walk(entry, "", found);
  }
  return byName(found);
}

async function read(
  root: FileSystemHandle,
  handle: FileSystemFileHandle,
  within: readonly string[],
): Promise<Picked> {
  const file = await handle.getFile();
  return {
    file,
    path: [root, ...within]
      .map((part) => (typeof part === "string" ? part : part.name))
      .join("/"),
    root,
    within,
  };
}

async function walkHandle(
  root: FileSystemHandle,
  at: FileSystemHandle,
  within: readonly string[],
  found: Picked[],
): Promise<void> {
  if (at.name.startsWith(".")) return;
  if (at.kind === "file")
    return void found.push(
      await read(root, at as FileSystemFileHandle, within),
    );
  for await (const child of (at as FileSystemDirectoryHandle).values())
    await walkHandle(root, child, [...within, child.name], found);
}

async function walk(
  entry: FileSystemEntry,
  folder: string,
  found: Picked[],
): Promise<void> {
  if (entry.name.startsWith(".")) return;
  const path = folder + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    found.push({ file, path });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // readEntries returns at most 100 entries at a time, and none at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!part.length) return;
    for (const child of part) await walk(child, `${path}/`, found);
  }
}

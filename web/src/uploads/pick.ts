/** A file to upload, and its path within what was chosen. */
export type Picked = {
  file: File;
  path: string;
  /** The file or folder that was chosen, which the browser can open again after a reload, and the way to the file in it. */
  root?: FileSystemHandle;
  within?: readonly string[];
  /** The bytes are nowhere but here. */
  only?: boolean;
};

/** Files in the order of their names, DSC_9 before DSC_10: browsers give those of a folder in any order. */
export function byName(picked: Picked[]): Picked[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return picked.toSorted((a, b) => compare(a.path, b.path));
}

/** Whether the browser lets people choose a folder. */
export const picksFolders =
  typeof HTMLInputElement !== "undefined" &&
  "webkitdirectory" in HTMLInputElement.prototype &&
  matchMedia("(any-pointer: fine)").matches;

// A phone has a chooser of pictures for its plain input, which is better than one of files.
const opensAgain = () => matchMedia("(any-pointer: fine)").matches;

/** Lets the person choose files. Empty when they change their mind. */
export async function pickFiles(): Promise<Picked[]> {
  if (!window.showOpenFilePicker || !opensAgain())
    return pickByInput((input) => (input.accept = "image/*,application/pdf"));
  const types = [{ accept: { "image/*": [], "application/pdf": [".pdf"] } }];
  const roots = await chosen(
    window.showOpenFilePicker({ multiple: true, types }),
  );
  return Promise.all((roots ?? []).map((root) => read(root, root, [])));
}

/** Lets the person choose one picture. Null when they change their mind. */
export async function pickFile(): Promise<File | null> {
  const [one] = await pickByInput((input) => {
    input.accept = "image/*,application/pdf";
    input.multiple = false;
  });
  return one?.file ?? null;
}

/** Lets the person choose a folder. Empty when they change their mind. */
export async function pickFolder(): Promise<Picked[]> {
  if (!window.showDirectoryPicker || !opensAgain())
    return pickByInput((input) => (input.webkitdirectory = true));
  const root = await chosen(window.showDirectoryPicker());
  const found: Picked[] = [];
  if (root) await walkHandle(root, root, [], found);
  return byName(found);
}

// What was chosen; null when the person has closed the chooser.
async function chosen<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError")
      return null;
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

/** The name of a pasted file. A picture without one, which browsers call image.png, is called by the time. */
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

/** The files that were dropped, with those in dropped folders. Hidden ones are left out. */
export async function filesOf(data: DataTransfer): Promise<Picked[]> {
  // All of it is taken at once: after the first wait the browser has nothing to give any more.
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
  // A reader answers with at most 100 entries at a time, until there are no more.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!part.length) return;
    for (const child of part) await walk(child, `${path}/`, found);
  }
}

import { nameOf } from "../gallery/folders.svelte";
import type { Key } from "../messages/index.svelte";

/** The maximum length of a name in bytes, which is the limit of file systems. */
const maxBytes = 255;

/**
 * The number of characters that a rename selects: all of a folder's name, and a file's without its
 * extension.
 */
export function stemLength(name: string, isFolder: boolean): number {
  const dot = isFolder ? -1 : name.lastIndexOf(".");
  return dot > 0 ? dot : name.length;
}

/** The message key for the reason why the server would refuse a name; null if the name is valid. */
export function nameProblem(name: string): Key | null {
  if (!name) return "files.name.empty";
  if (name.startsWith(".")) return "files.name.dot";
  // eslint-disable-next-line no-control-regex
  if (/[/\\\u0000-\u001f\u007f-\u009f\ufffd]/.test(name))
    return "files.name.sign";
  if (/[\u00ad\u200b\u2028-\u202e\u2060-\u206f\ufeff]/.test(name))
    return "files.name.hidden"; // the server refuses some more
  if (new TextEncoder().encode(name.normalize()).length > maxBytes)
    return "files.name.long";
  return null;
}

/**
 * New names for files, by path: the stem, a number with as many digits as the last one has, and the
 * extension of the file.
 */
export function numberedNames(
  stem: string,
  paths: readonly string[],
): Map<string, string> {
  const digits = String(paths.length).length;
  return new Map(
    paths.map((path, i) => {
      const name = nameOf(path);
      const extension = name.slice(stemLength(name, false));
      const number = String(i + 1).padStart(digits, "0");
      return [path, `${stem}-${number}${extension}`];
    }),
  );
}

/** Whether a rename changes the type of a file, judged by its extension. */
export function changesKind(before: string, after: string): boolean {
  const ending = (name: string) =>
    name.slice(stemLength(name, false)).toLowerCase();
  return ending(before) !== ending(after);
}

import type { Key } from "../messages/index.svelte";

/** The most bytes that a name may have; file systems hold no more. */
const maxBytes = 255;

/** How many characters of a name are selected for a rename: all of a folder's, and a file's without its extension. */
export function stemLength(name: string, isFolder: boolean): number {
  const dot = isFolder ? -1 : name.lastIndexOf(".");
  return dot > 0 ? dot : name.length;
}

/** Why the server would refuse a name, as the key of a message; null for a good one. */
export function nameProblem(name: string): Key | null {
  if (!name) return "files.name.empty";
  if (name.startsWith(".")) return "files.name.dot";
  // eslint-disable-next-line no-control-regex
  if (/[/\\\u0000-\u001f\u007f-\u009f\ufffd]/.test(name))
    return "files.name.sign";
  if (new TextEncoder().encode(name.normalize()).length > maxBytes)
    return "files.name.long";
  return null;
}

/** Whether a rename changes the kind of a file, judged by its extension. */
export function changesKind(before: string, after: string): boolean {
  const ending = (name: string) =>
    name.slice(stemLength(name, false)).toLowerCase();
  return ending(before) !== ending(after);
}

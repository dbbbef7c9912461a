import type { Key } from "../messages/index.svelte";

const signs: Record<string, string> = {
  ArrowLeft: "←",
  ArrowUp: "↑",
  ArrowRight: "→",
  ArrowDown: "↓",
  Enter: "↵",
  Escape: "Esc",
  Delete: "Del",
  PageUp: "PgUp",
  PageDown: "PgDn",
  Shift: "⇧",
  "-": "−",
};

/** A chord for display: `⇧ Ctrl Z`, with the symbols of a Mac there. */
export function writeChord(chord: string, mac: boolean): string {
  const own: Record<string, string> = mac
    ? { Mod: "⌘", Alt: "⌥" }
    : { Mod: "Ctrl" };
  return (chord === "+" ? ["+"] : chord.split("+"))
    .map(
      (key) =>
        own[key] ?? signs[key] ?? (key.length === 1 ? key.toUpperCase() : key),
    )
    .join(" ");
}

/** The lines of a list of shortcuts. Shortcuts with the same action share a line. */
export function listed(
  group: Readonly<Record<string, { keys: readonly string[]; label: Key }>>,
  mac: boolean,
): { keys: string[]; label: Key }[] {
  const lines = new Map<Key, string[]>();
  for (const { keys, label } of Object.values(group))
    lines.set(label, [
      ...(lines.get(label) ?? []),
      ...keys.map((key) => writeChord(key, mac)),
    ]);
  return [...lines].map(([label, keys]) => ({ keys, label }));
}

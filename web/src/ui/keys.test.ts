import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { listed, writeChord } from "../palette/listed";
import { chordOf, press, shortcutOf, shortcuts } from "./keys";

const key = (name: string, held: Partial<KeyboardEvent> = {}) => ({
  key: name,
  altKey: false,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  ...held,
});

test.each([
  ["k", { ctrlKey: true }, "Mod+k"],
  ["K", { metaKey: true }, "Mod+k"],
  ["?", { shiftKey: true }, "?"],
  ["+", { shiftKey: true }, "+"],
  ["1", {}, "1"],
  [" ", {}, "Space"],
  ["Z", { ctrlKey: true, shiftKey: true }, "Shift+Mod+z"],
  ["ArrowUp", { altKey: true }, "Alt+ArrowUp"],
  ["ArrowLeft", { shiftKey: true }, "Shift+ArrowLeft"],
  ["я", {}, "я"],
])("%s with %j is %s", (name, held, chord) =>
  expect(chordOf(key(name, held))).toBe(chord),
);

test("a key press runs the action of its group, once", () => {
  const [up, prevent] = [vi.fn(), vi.fn()];
  const event = {
    ...key("ArrowUp", { altKey: true }),
    preventDefault: prevent,
  } as unknown as KeyboardEvent;
  expect(press("layers", event, { up, down: null })).toBe(true);
  expect([up.mock.calls.length, prevent.mock.calls.length]).toEqual([1, 1]);
  expect(press("layers", event, { up: null, down: vi.fn() })).toBe(false);
  expect(
    press("layers", { ...event, altKey: false } as KeyboardEvent, {
      up,
      down: null,
    }),
  ).toBe(false);
  expect([up.mock.calls.length, prevent.mock.calls.length]).toEqual([1, 1]);
});

test.each([
  ["editor", "y", { ctrlKey: true }, "redo"],
  ["editor", "z", {}, null],
  ["library", "ArrowDown", { shiftKey: true }, "extend"],
  ["library", "PageUp", {}, "go"],
  ["viewer", "e", { ctrlKey: true }, null],
  ["viewer", "z", { ctrlKey: true }, null],
  ["viewer", "3", {}, "rate"],
  ["library", "3", { shiftKey: true }, "rate"],
  ["library", "0", {}, "unrate"],
] as const)("%s: %s with %j", (group, name, held, id) => {
  expect(shortcutOf(group, key(name, held))).toBe(id);
});

describe("the table", () => {
  test.each(Object.entries(shortcuts))("%s has no key twice", (_, group) => {
    const keys = Object.values(
      group as Record<
        string,
        { keys: readonly string[]; also?: readonly string[] }
      >,
    ).flatMap((one) => [...one.keys, ...(one.also ?? [])]);
    expect(keys).toEqual([...new Set(keys)]);
  });
  test("is listed completely, with one line per action", () => {
    expect(listed(shortcuts.layers, false)).toEqual([
      { keys: ["Alt ↑"], label: "editor.layer.up" },
      { keys: ["Alt ↓"], label: "editor.layer.down" },
    ]);
    expect(
      listed(shortcuts.viewer, true).map(({ keys }) => keys.join()),
    ).toEqual([
      "←",
      "→",
      "PgUp",
      "PgDn",
      "↑,↓",
      "+",
      "−",
      "Z",
      "I",
      "S",
      "F",
      "P",
      "1,2,3,4,5",
      "0",
      "H",
      "E",
      "F2",
      "Del",
      "Esc",
    ]);
    expect([
      writeChord("Shift+Mod+z", true),
      writeChord("Shift+Mod+z", false),
      writeChord("+", false),
    ]).toEqual(["⇧ ⌘ Z", "⇧ Ctrl Z", "+"]);
  });
});

// Files whose keys belong to a kind of control: the end of a text field, the arrows of a tree, a slider, a list
// of choices or a menu button. Filters has a date field, which Enter finishes, in a panel that Escape closes;
// Suggestions is the list of SearchBox. The map moves by arrows and zooms by + and −, and Strip is the row of
// its pictures. Look is the picture that a visitor of a share link sees large, on a page without shortcuts.
const controls = new Set([
  "editor/FontChoice.svelte",
  "editor/TextBox.svelte",
  "editor/ToneCurve.svelte",
  "editor/UrlBar.svelte",
  "gallery/Filters.svelte",
  "gallery/FolderTree.svelte",
  "gallery/SearchBox.svelte",
  "gallery/Suggestions.svelte",
  "map/Map.svelte",
  "map/Strip.svelte",
  "palette/Palette.svelte",
  "shares/Look.svelte",
  "timeline/Scrubber.svelte",
  "ui/Menu.svelte",
]);
// Files that pass the key to the table and to the layout of the pictures, or handle storage events, which have
// a key too.
const others = new Set([
  "ui/keys.ts",
  "gallery/list.ts",
  "session/session.svelte.ts",
  "theme/theme.svelte.ts",
]);

test("no handler reads keys outside of the table", () => {
  const root = new URL("..", import.meta.url);
  const sources = readdirSync(root, {
    recursive: true,
    encoding: "utf8",
  }).filter(
    (file) =>
      /\.(ts|svelte)$/.test(file) &&
      !file.includes(".test.") &&
      !file.startsWith("api/gen"),
  );
  const reading = sources.filter((file) =>
    /\b(event|e)\.(key|code|keyCode)\b|\{[^}]*\bkey\b[^}]*\}: KeyboardEvent/.test(
      readFileSync(new URL(file, root), "utf8"),
    ),
  );
  expect(reading.filter((file) => !others.has(file)).sort()).toEqual(
    [...controls].sort(),
  );
  // A listener on the whole window handles shortcuts and not a control.
  const listening = sources.filter((file) =>
    /<svelte:window[^>]*onkeydown|addEventListener\(\s*"key/.test(
      readFileSync(new URL(file, root), "utf8"),
    ),
  );
  for (const file of listening)
    expect(readFileSync(new URL(file, root), "utf8"), file).toMatch(
      /\b(press|shortcutOf)\(\s*"/,
    );
});

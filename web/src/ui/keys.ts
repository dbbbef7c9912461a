import type { Key } from "../messages/index.svelte";

/**
 * A shortcut: `keys` as shown in the list of shortcuts, `also` for alternative keys, and the
 * message that describes it.
 */
type Shortcut = {
  keys: readonly string[];
  also?: readonly string[];
  label: Key;
};

const arrows = ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"] as const;
const stars = ["1", "2", "3", "4", "5"] as const;
const shift = (keys: readonly string[]) => keys.map((key) => `Shift+${key}`);

/**
 * All shortcuts of the application. Pages handle those of their group with `press`, which requires
 * an action for each; the list that `?` opens is generated from the same table. Keys that every
 * field, menu, tree or slider has are not shortcuts.
 */
export const shortcuts = {
  everywhere: {
    palette: { keys: ["Mod+k"], label: "palette.title" },
    list: { keys: ["?"], label: "keys.title" },
    undo: { keys: ["Mod+z"], label: "ui.undo" },
  },
  library: {
    search: { keys: ["/"], label: "search.label" },
    go: {
      keys: arrows,
      also: ["Home", "End", "PageUp", "PageDown"],
      label: "keys.go",
    },
    open: { keys: ["Enter"], label: "keys.open" },
    select: { keys: ["Space"], label: "keys.select" },
    extend: {
      keys: ["Shift+ArrowLeft", "Shift+ArrowRight"],
      also: shift([
        "ArrowUp",
        "ArrowDown",
        "Home",
        "End",
        "PageUp",
        "PageDown",
      ]),
      label: "keys.extend",
    },
    all: { keys: ["Mod+a"], label: "keys.all" },
    clear: { keys: ["Escape"], label: "gallery.deselect" },
    rate: { keys: stars, label: "rate.rate" },
    unrate: { keys: ["0"], label: "rate.none" },
    rename: { keys: ["F2"], label: "keys.rename" },
    trash: { keys: ["Delete"], label: "gallery.trash" },
  },
  viewer: {
    previous: { keys: ["ArrowLeft"], label: "viewer.previous" },
    next: { keys: ["ArrowRight"], label: "viewer.next" },
    pageUp: { keys: ["PageUp"], label: "viewer.previousPage" },
    pageDown: { keys: ["PageDown"], label: "viewer.nextPage" },
    up: { keys: ["ArrowUp"], label: "keys.pan" },
    down: { keys: ["ArrowDown"], label: "keys.pan" },
    zoomIn: { keys: ["+"], also: ["="], label: "keys.zoomIn" },
    zoomOut: { keys: ["-"], label: "keys.zoomOut" },
    zoom: { keys: ["z"], label: "keys.zoom" },
    info: { keys: ["i"], label: "viewer.info" },
    slideshow: { keys: ["s"], label: "viewer.slideshow" },
    full: { keys: ["f"], label: "viewer.full" },
    play: { keys: ["p"], label: "viewer.playOrPause" },
    rate: { keys: stars, label: "rate.rate" },
    unrate: { keys: ["0"], label: "rate.none" },
    favorite: { keys: ["h"], label: "rate.favorite" },
    edit: { keys: ["e"], label: "viewer.edit" },
    rename: { keys: ["F2"], label: "keys.rename" },
    trash: { keys: ["Delete"], label: "gallery.trash" },
    close: { keys: ["Escape"], label: "ui.back" },
  },
  editor: {
    undo: { keys: ["Mod+z"], label: "editor.undo" },
    redo: {
      keys: ["Shift+Mod+z"],
      also: ["Mod+y", "Shift+Mod+y"],
      label: "editor.redo",
    },
    save: { keys: ["Mod+s"], also: ["Shift+Mod+s"], label: "editor.save.file" },
    compare: { keys: ["b"], label: "editor.compare" },
    zoomIn: { keys: ["+"], also: ["="], label: "keys.zoomIn" },
    zoomOut: { keys: ["-"], label: "keys.zoomOut" },
    fit: { keys: ["0"], label: "viewer.fit" },
    real: { keys: ["1"], label: "viewer.real" },
    close: { keys: ["Escape"], label: "ui.back" },
  },
  picker: {
    use: { keys: ["Mod+Enter"], label: "embed.useOne" },
    close: { keys: ["Escape"], label: "ui.cancel" },
  },
  // The focused element on the editor's canvas: a layer, a crop and its corners, a focal point.
  canvas: {
    nudge: { keys: arrows, label: "keys.nudge" },
    leap: { keys: shift(arrows), label: "keys.leap" },
    open: { keys: ["Enter"], label: "keys.enter" },
    leave: { keys: ["Escape"], label: "ui.back" },
  },
  // A picture of an album with custom order.
  album: {
    earlier: {
      keys: ["Alt+ArrowLeft"],
      also: ["Alt+ArrowUp"],
      label: "keys.earlier",
    },
    later: {
      keys: ["Alt+ArrowRight"],
      also: ["Alt+ArrowDown"],
      label: "keys.later",
    },
  },
  // A name in the list of layers.
  layers: {
    up: { keys: ["Alt+ArrowUp"], label: "editor.layer.up" },
    down: { keys: ["Alt+ArrowDown"], label: "editor.layer.down" },
  },
} as const satisfies Record<string, Record<string, Shortcut>>;

/** The effect of a held key on a drag. */
export const held = {
  drag: { keys: ["Alt"], label: "keys.free" },
} as const satisfies Record<string, Shortcut>;

export type Group = keyof typeof shortcuts;
type Id<G extends Group> = keyof (typeof shortcuts)[G] & string;
/**
 * The action of each shortcut of a group; null if the page does not offer it now. The browser then
 * keeps its own meaning of the key.
 */
export type Actions<G extends Group> = Record<
  Id<G>,
  ((event: KeyboardEvent) => unknown) | null
>;

/**
 * A key press in the notation of the table, such as `Shift+Mod+z`. A symbol such as `?` is written
 * as itself, regardless of the modifiers that type it.
 */
export function chordOf(
  event: Pick<
    KeyboardEvent,
    "key" | "altKey" | "shiftKey" | "ctrlKey" | "metaKey"
  >,
): string {
  const key = event.key ?? ""; // autofill may send events without a key
  const name =
    key === " " ? "Space" : key.length === 1 ? key.toLowerCase() : key;
  const sign = key.length === 1 && !/[\p{L} ]/u.test(key);
  return [
    event.shiftKey && !sign && "Shift",
    event.altKey && "Alt",
    (event.ctrlKey || event.metaKey) && "Mod",
    name,
  ]
    .filter(Boolean)
    .join("+");
}

/** The shortcut of a group for a key press; null if there is none. */
export function shortcutOf<G extends Group>(
  group: G,
  event: Parameters<typeof chordOf>[0],
): Id<G> | null {
  const chord = chordOf(event);
  const found = Object.entries(
    shortcuts[group] as Record<string, Shortcut>,
  ).find(([, { keys, also }]) => keys.includes(chord) || also?.includes(chord));
  return (found?.[0] ?? null) as Id<G> | null;
}

/** Runs the action of a key press in a group. Returns whether there was one. */
export function press<G extends Group>(
  group: G,
  event: KeyboardEvent,
  actions: Actions<G>,
): boolean {
  const id = shortcutOf(group, event);
  const run = id && actions[id];
  if (!run) return false;
  event.preventDefault();
  run(event);
  return true;
}

/** The movement of an arrow key on each axis; undefined for other keys. */
export function arrowOf(
  event: Pick<KeyboardEvent, "key">,
): [number, number] | undefined {
  return {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  }[event.key] as [number, number] | undefined;
}

/** The rating for a digit key, 0 for none. */
export const ratingOf = (event: Pick<KeyboardEvent, "key">): number =>
  Number(event.key);

/** Whether the focused element accepts text: letters are not shortcuts there. */
export const types = (event: Event) =>
  Boolean(
    (event.target as Element).closest?.(
      "input:not([type=range], [type=checkbox], [type=radio]), textarea, select",
    ),
  );

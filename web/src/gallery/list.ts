import { manage, type Host } from "../files/manage.svelte";
import { filesAt, thingOf } from "../files/things";
import type { FilePages, Tile } from "./pages.svelte";
import { escapePath } from "../router/path";
import { navigate, setQuery } from "../router/router.svelte";
import { press, ratingOf, shortcutOf, types } from "../ui/keys";
import { handOver } from "../viewer/handover";
import { originOf } from "../viewer/origin";
import { mannerOf, type Manner, type Selection } from "./selection.svelte";

/** The list that clicks and keys act on: pictures by index, one of which is current. */
export type List = {
  count: number;
  current: number;
  selection: Selection;
  /** The index that a key moves to from the current picture; undefined if it does not move. */
  step: (key: string) => number | undefined;
  go: (index: number) => Promise<void>;
  /** Selects a picture and returns its path; undefined if it cannot be loaded. */
  choose: (index: number, manner: Manner) => Promise<string | undefined>;
  /** The path of the current picture; undefined until it is loaded. */
  path: string | undefined;
  open: (index: number) => void;
  /** Renames the selected pictures, or the current one; undefined if that is not allowed. */
  rename?: ((index: number) => unknown) | undefined;
  /** Moves files to the trash; undefined if that is not allowed. */
  remove?: ((paths: readonly string[]) => unknown) | undefined;
  /** Sets the rating of files, 0 for none; undefined if that is not allowed. */
  rate?: ((paths: readonly string[], rating: number) => unknown) | undefined;
  /** Selects everything; undefined if that is not offered. */
  all?: () => unknown;
};

/** The index of the picture that an event targets; null if it is not on a picture. */
export function itemOf(event: Event): number | null {
  const element = (event.target as Element).closest<HTMLElement>(
    "[data-index]",
  );
  return element ? Number(element.dataset.index) : null;
}

/**
 * Opens the menu of the picture that an event targets, or of the whole selection if the picture is
 * selected.
 */
export function openMenu(
  event: MouseEvent,
  {
    selection,
    choose,
    open,
    at,
  }: Pick<List, "selection" | "choose" | "open"> & {
    at: (index: number) => Tile | undefined;
  },
  host: Host,
): void {
  const index = itemOf(event);
  const tile = index === null ? undefined : at(index);
  if (!tile) return;
  if (selection.size > 1 && selection.paths.has(tile.path))
    return manage.menu(event, filesAt(selection.paths), host);
  const select = () => void choose(index!, "toggle");
  const info = () => {
    open(index!);
    setQuery({ info: "1" });
  };
  const alone = { ...host, select, open: () => open(index!), info };
  manage.menu(event, [thingOf(tile)], alone);
}

/** Opens or selects a picture, depending on where it was clicked and which modifier keys are held. */
export function clickItem(
  event: MouseEvent,
  {
    selection,
    choose,
    open,
    menu,
  }: Pick<List, "selection" | "choose" | "open"> & {
    menu?: (event: MouseEvent) => unknown;
  },
): void {
  const index = itemOf(event);
  if ((event.target as Element).closest("[data-menu]"))
    return void menu?.(event);
  if (index === null) return selection.clear();
  const manner = mannerOf(event);
  const picks = (event.target as Element).closest("[data-pick]") !== null;
  event.preventDefault();
  if (picks || selection.size || manner !== "only")
    void choose(index, manner === "only" ? "toggle" : manner);
  else open(index);
}

/**
 * Handles a long press: opens the picture's menu, or selects the picture if others are selected or
 * there is no menu.
 */
export function holdItem(
  event: PointerEvent,
  {
    selection,
    choose,
    menu,
  }: Pick<List, "selection" | "choose"> & {
    menu?: (event: MouseEvent) => unknown;
  },
): void {
  const index = itemOf(event);
  if (index === null) return;
  if (menu && !selection.size) menu(event);
  else void choose(index, "toggle");
}

/** Opens the dialog that renames the selected pictures, or `tile` if none is selected and it is loaded. */
export function renameChosen(
  selection: Selection,
  tile: Tile | undefined,
  host: Host,
): void {
  const alone = tile ? [thingOf(tile)] : [];
  const things = selection.size ? filesAt(selection.paths) : alone;
  if (things.length) manage.ask({ what: "rename", things, host });
}

/** Handles a key: moves, selects, opens or deletes. */
export function pressKey(event: KeyboardEvent, list: List): void {
  const { count, current, selection, step, go, choose, open } = list;
  const { path, remove, rename, rate, all } = list;
  if (!count) return;
  const next = step(event.key);
  const begun = async () =>
    void (selection.size || (await choose(current, "toggle")));
  // The selection at the time of the key press: by the time a path has loaded, more may be selected.
  const trash = (away: (paths: readonly string[]) => unknown) =>
    selection.size
      ? away([...selection.paths])
      : choose(current, "only").then((path) => path && away([path]));
  // Rating does not select the picture, so that the next one can be rated alone.
  const rated = selection.size ? [...selection.paths] : path ? [path] : [];
  const stars =
    rate && rated.length ? () => rate(rated, ratingOf(event)) : null;
  press("library", event, {
    search: null, // handled by SearchBox, wherever the focus is
    go: next === undefined ? null : () => go(next),
    extend:
      next === undefined
        ? null
        : () =>
            begun()
              .then(() => choose(next, "range"))
              .then(() => go(next)),
    select: () => choose(current, "toggle"),
    open: () => open(current),
    all: all ?? null,
    clear: selection.size ? () => selection.clear() : null,
    rename: rename ? () => rename(current) : null,
    rate: stars,
    unrate: stars,
    trash: remove ? () => trash(remove) : null,
  });
}

/**
 * Handles keys outside the pictures: selects all pictures when the focus is on none of them, and
 * clears the selection when nothing has the focus. Fields, menus and dialogs keep their keys.
 */
export function pressBeside(
  event: KeyboardEvent,
  {
    count,
    selection,
    all,
  }: Required<Pick<List, "count" | "selection" | "all">>,
): void {
  const target = event.target as Element;
  const theirs = types(event) || target.closest?.("[role=menu], [role=dialog]");
  if (event.defaultPrevented || theirs || !count) return;
  const id = shortcutOf("library", event);
  if (id === "clear" && target.matches?.("body, #main")) selection.clear();
  if (id !== "all") return;
  event.preventDefault();
  all();
}

/** Opens a picture of a list in the viewer, which starts with the thumbnail already on screen. */
export function openPicture(files: FilePages, tile: Tile, index: number): void {
  const source = `#item-${index} img.shown`;
  handOver(
    files,
    document.querySelector<HTMLImageElement>(source)?.src ?? "",
    index,
  );
  const origin = originOf(tile.path, files.wanted, location.search);
  navigate(`/i/${escapePath(tile.path)}${origin}`);
}

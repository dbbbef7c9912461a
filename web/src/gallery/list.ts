import { manage, type Host } from "../files/manage.svelte";
import { filesAt, thingOf } from "../files/things";
import type { FilePages, Tile } from "./pages.svelte";
import { escapePath } from "../router/path";
import { navigate, setQuery } from "../router/router.svelte";
import { press, ratingOf, shortcutOf, types } from "../ui/keys";
import { handOver } from "../viewer/handover";
import { originOf } from "../viewer/origin";
import { mannerOf, type Manner, type Selection } from "./selection.svelte";

/** What clicks and keys work on: pictures by their index, of which one is current. */
export type List = {
  count: number;
  current: number;
  selection: Selection;
  /** Where a key leads from the current picture; undefined when it leads nowhere. */
  step: (key: string) => number | undefined;
  go: (index: number) => Promise<void>;
  /** Selects a picture and answers with its path; undefined if that does not come. */
  choose: (index: number, manner: Manner) => Promise<string | undefined>;
  /** The path of the current picture; undefined while it is not here. */
  path: string | undefined;
  open: (index: number) => void;
  /** Gives the current picture another name; undefined when that is not allowed. */
  rename?: ((index: number) => unknown) | undefined;
  /** Moves files to the trash; undefined when that is not allowed. */
  remove?: ((paths: readonly string[]) => unknown) | undefined;
  /** Gives files a rating, 0 for none; undefined when that is not allowed. */
  rate?: ((paths: readonly string[], rating: number) => unknown) | undefined;
  /** Selects everything, where that is offered. */
  all?: () => unknown;
};

/** The index of the picture that an event is about; null beside the pictures. */
export function itemOf(event: Event): number | null {
  const element = (event.target as Element).closest<HTMLElement>(
    "[data-index]",
  );
  return element ? Number(element.dataset.index) : null;
}

/** Opens the menu of the picture that an event is about, or of all that are selected when it is one of them. */
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

/** Opens a picture or selects it, as the place of the click and the keys held say. */
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

/** Opens the menu of a picture by a long press; selects it once others are selected, or where there is no menu. */
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

/** Asks for another name of a picture; of none, when its list has not arrived. */
export function renameItem(tile: Tile | undefined, host: Host): void {
  if (tile) manage.ask({ what: "rename", things: [thingOf(tile)], host });
}

/** Moves, selects, opens or deletes by key. */
export function pressKey(event: KeyboardEvent, list: List): void {
  const { count, current, selection, step, go, choose, open } = list;
  const { path, remove, rename, rate, all } = list;
  if (!count) return;
  const next = step(event.key);
  const begun = async () =>
    void (selection.size || (await choose(current, "toggle")));
  // What is selected when the key is pressed, not once a path has come: more may be selected by then.
  const trash = (away: (paths: readonly string[]) => unknown) =>
    selection.size
      ? away([...selection.paths])
      : choose(current, "only").then((path) => path && away([path]));
  // Nothing is selected by it, so that the next picture can be rated alone.
  const rated = selection.size ? [...selection.paths] : path ? [path] : [];
  const stars =
    rate && rated.length ? () => rate(rated, ratingOf(event)) : null;
  press("library", event, {
    search: null, // SearchBox has it, wherever the focus is
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
 * Selects all pictures by key while the focus is on none of them, and clears the selection while nothing has it. Fields, menus and
 * dialogs keep their keys.
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

/** Shows a picture of a list in the viewer, which begins with the thumbnail that is on the screen. */
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

import type { FilePages, Tile } from "./pages.svelte";
import { escapePath } from "../router/path";
import { navigate } from "../router/router.svelte";
import { press } from "../ui/keys";
import { handOver } from "../viewer/handover";
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
  open: (index: number) => void;
  /** Moves files to the trash; undefined when that is not allowed. */
  remove?: ((paths: readonly string[]) => unknown) | undefined;
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

/** Opens a picture or selects it, as the place of the click and the keys held say. */
export function clickItem(
  event: MouseEvent,
  { selection, choose, open }: Pick<List, "selection" | "choose" | "open">,
): void {
  const index = itemOf(event);
  if (index === null) return selection.clear();
  const manner = mannerOf(event);
  const picks = (event.target as Element).closest("[data-pick]") !== null;
  if (!picks && manner === "toggle" && !selection.size) return; // opens in another tab
  event.preventDefault();
  if (picks || selection.size || manner !== "only")
    void choose(index, manner === "only" ? "toggle" : manner);
  else open(index);
}

/** Moves, selects, opens or deletes by key. */
export function pressKey(
  event: KeyboardEvent,
  { count, current, selection, step, go, choose, open, remove, all }: List,
): void {
  if (!count) return;
  const next = step(event.key);
  const begun = async () =>
    void (selection.size || (await choose(current, "toggle")));
  // What is selected when the key is pressed, not once a path has come: more may be selected by then.
  const trash = (away: (paths: readonly string[]) => unknown) =>
    selection.size
      ? away([...selection.paths])
      : choose(current, "only").then((path) => path && away([path]));
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
    trash: remove ? () => trash(remove) : null,
  });
}

/** Shows a picture of a list in the viewer, which begins with the thumbnail that is on the screen. */
export function openPicture(files: FilePages, tile: Tile, index: number): void {
  if (tile.format)
    handOver(
      files,
      document.querySelector<HTMLImageElement>(`#item-${index} img.shown`)
        ?.src ?? "",
    );
  navigate(`/i/${escapePath(tile.path)}${location.search}`);
}

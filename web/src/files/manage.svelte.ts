import { parentOf } from "../gallery/folders.svelte";
import { mayEdit } from "../gallery/rights.svelte";
import { language } from "../messages/index.svelte";
import { session } from "../session/session.svelte";
import { shortcutOf } from "../ui/keys";
import type { Item } from "../ui/menu";
import { part } from "../ui/part";
import { passFocus } from "./focus";

/** A file or folder that an action applies to. */
export type Thing = {
  path: string;
  isFolder: boolean;
  /** A thumbnail and a line of text, shown above the menu on a phone. */
  small?: string | null;
  about?: string;
  /** Whether it can be opened in the viewer and edited. */
  isPicture?: boolean;
};

/** A rating or a favorite flag to set. */
export type Marks = { rating?: number; favorite?: boolean };

/** The callbacks of the page that shows the items. The stream of changes informs it too, but later. */
export type Host = {
  /** Called when items are no longer at their paths. */
  gone?: (paths: ReadonlySet<string>) => void;
  /** Called after any other change. */
  changed?: () => void;
  /** Called after an undo. */
  undone?: () => void;
  /** Called when the only item was renamed from `before` to `path`. By default the page removes it. */
  renamed?: (path: string, before: string) => void;
  /** Selects the item; undefined if items cannot be selected. */
  select?: () => void;
  /** Opens the item; by default its own page is opened. Null if that page is shown already. */
  open?: (() => void) | null;
  /** The URL of the editor, if it needs more than the path. */
  edit?: string;
  /** Additional items for the menu. */
  extra?: ((paths: readonly string[]) => Item[]) | undefined;
  /** Shows the properties of a file; by default its own page is opened with them. */
  info?: () => void;
};

/** An open dialog: the menu of actions, or the dialog of one of them. */
export type Asked = {
  what:
    | "menu"
    | "rename"
    | "move"
    | "copy"
    | "album"
    | "newFolder"
    | "properties"
    | "access"
    | "share";
  things: readonly Thing[];
  host: Host;
  /** The position of a menu, and the items that this page adds to it. */
  at?: { x: number; y: number };
  more?: readonly Item[];
};

/** The module for changes is loaded when it is first needed. */
const loadChanges = () =>
  part(() => Promise.all([import("./changes"), language.whole()])).then(
    ([changes]) => changes,
  );

/** Manages files and folders from any page. Its component is loaded when it is first needed. */
class Manage {
  asked = $state.raw<Asked | null>(null);
  /** The element that had the focus before the first dialog. */
  #from: Element | null = null;

  /**
   * Moves items to the trash. Toasts report the result. If `from` is in the row of a folder, the
   * focus moves to the next one.
   */
  async discard(
    paths: readonly string[],
    host: Host,
    from: Element | null = this.#from,
  ): Promise<void> {
    passFocus(from);
    await (await loadChanges()).discard(paths, host);
  }

  /** Moves or copies items into a folder. Toasts report the result. */
  async relocate(
    paths: readonly string[],
    folder: string,
    copies: boolean,
    host: Host,
  ): Promise<void> {
    await (await loadChanges()).relocate(paths, folder, copies, host);
  }

  /** Sets the rating or the favorite flag of files. Toasts report the result. */
  async rate(
    paths: readonly string[],
    marks: Marks,
    host: Host,
  ): Promise<void> {
    await (await loadChanges()).rate(paths, marks, host);
  }

  ask(asked: Asked): void {
    if (!this.asked) this.#from = document.activeElement;
    this.asked = asked;
  }

  /** Closes a dialog, unless another one has replaced it. */
  end(asked: Asked | null): void {
    if (this.asked !== asked) return;
    this.asked = null;
    // A list knows its current picture; by now, another one may be at the old position.
    const from =
      this.#from
        ?.closest("[role=listbox]")
        ?.querySelector('[role=option][tabindex="0"]') ?? this.#from;
    if (from instanceof HTMLElement && from.isConnected)
      from.focus({ preventScroll: true });
    this.#from = null;
  }

  /** Handles a key for the focused item. */
  press(event: KeyboardEvent, thing: Thing): void {
    const id = mayEdit(parentOf(thing.path))
      ? shortcutOf("library", event)
      : null;
    if (id !== "rename" && id !== "trash") return;
    event.preventDefault();
    event.stopPropagation();
    if (id === "trash")
      void this.discard([thing.path], {}, event.target as Element);
    else this.ask({ what: "rename", things: [thing], host: {} });
  }

  /** Opens the menu of items at the pointer, or at the focused element for a key. */
  menu(
    event: MouseEvent,
    things: readonly Thing[],
    host: Host = {},
    more: readonly Item[] = [],
  ): void {
    if (event.button === 2 && event.shiftKey) return; // opens the browser's own menu
    event.preventDefault();
    event.stopPropagation();
    const box = (
      event.currentTarget as Element | null
    )?.getBoundingClientRect();
    const byKey = event.clientX === 0 && event.clientY === 0;
    const at =
      byKey && box
        ? { x: box.left, y: box.bottom }
        : { x: event.clientX, y: event.clientY };
    this.ask({ what: "menu", things, host, at, more });
  }
}

export const manage = new Manage();

session.onLeave(() => (manage.asked = null));

import { parentOf } from "../gallery/folders.svelte";
import { mayEdit } from "../gallery/rights.svelte";
import { language } from "../messages/index.svelte";
import { session } from "../session/session.svelte";
import { shortcutOf } from "../ui/keys";
import type { Item } from "../ui/menu";
import { part } from "../ui/part";
import { passFocus } from "./focus";

/** A file or a folder that something is done with. */
export type Thing = {
  path: string;
  isFolder: boolean;
  /** A thumbnail and a line of text, which a phone shows above the menu. */
  small?: string | null;
  about?: string;
  /** It is opened in the viewer and can be edited. */
  isPicture?: boolean;
};

/** A rating, or whether something is a favorite. */
export type Marks = { rating?: number; favorite?: boolean };

/** What the page that shows the things does about them. The stream of changes tells it of changes too, but later. */
export type Host = {
  /** Things are no longer where they were. */
  gone?: (paths: ReadonlySet<string>) => void;
  /** Something else has changed. */
  changed?: () => void;
  /** A change was undone. */
  undone?: () => void;
  /** The only thing, which was at `before`, has another path now, where the page shows it. By default the page removes it. */
  renamed?: (path: string, before: string) => void;
  /** Selects the thing, where things can be selected. */
  select?: () => void;
  /** Opens the thing as the page does; by default its own page is opened. Null when that page is shown already. */
  open?: (() => void) | null;
  /** The address of the editor, when it has more in it than the path. */
  edit?: string;
  /** What the page offers for things in its menu, in addition. */
  extra?: ((paths: readonly string[]) => Item[]) | undefined;
  /** Shows the properties of a file as the page does; by default its own page is opened with them. */
  info?: () => void;
};

/** A question to the person: the menu of actions, or the dialog of one of them. */
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
  /** Where a menu opens, and what this page adds to it. */
  at?: { x: number; y: number };
  more?: readonly Item[];
};

/** What changes files and folders is loaded when it is first needed. */
const loadChanges = () =>
  part(() => Promise.all([import("./changes"), language.whole()])).then(
    ([changes]) => changes,
  );

/** Managing files and folders, from any page. The component for it is loaded when it is first needed. */
class Manage {
  asked = $state.raw<Asked | null>(null);
  /** What had the focus before the first question. */
  #from: Element | null = null;

  /** Moves things to the trash. The focus of a folder, at `from`, goes to the next one. Toasts tell of it. */
  async discard(
    paths: readonly string[],
    host: Host,
    from: Element | null = this.#from,
  ): Promise<void> {
    passFocus(from);
    await (await loadChanges()).discard(paths, host);
  }

  /** Moves or copies things into a folder. Toasts tell of it. */
  async relocate(
    paths: readonly string[],
    folder: string,
    copies: boolean,
    host: Host,
  ): Promise<void> {
    await (await loadChanges()).relocate(paths, folder, copies, host);
  }

  /** Sets the rating of files, or whether they are favorites. Toasts tell of it. */
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

  /** Closes a question, unless another question has replaced it. */
  end(asked: Asked | null): void {
    if (this.asked !== asked) return;
    this.asked = null;
    // A list knows which of its pictures is the current one; another may stand at the old place by now.
    const from =
      this.#from
        ?.closest("[role=listbox]")
        ?.querySelector('[role=option][tabindex="0"]') ?? this.#from;
    if (from instanceof HTMLElement && from.isConnected)
      from.focus({ preventScroll: true });
    this.#from = null;
  }

  /** Does what a key means for a thing that has the focus. */
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

  /** Opens the menu of things where a pointer or a key asks for it. */
  menu(
    event: MouseEvent,
    things: readonly Thing[],
    host: Host = {},
    more: readonly Item[] = [],
  ): void {
    if (event.button === 2 && event.shiftKey) return; // the browser's own menu
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

import { tick, untrack } from "svelte";
import { makeAhead } from "./made.svelte";
import {
  itemsBetween,
  placeAt,
  placed,
  topOf,
  type Item,
  type Place,
  type Range,
  type Sheet,
} from "./sheet";
import { ScrollScale, tallest } from "./scrollScale";

/** Milliseconds after a scroll ends in which no new one begins: a mouse wheel ends one with every notch. */
const calm = 150;

/** Pixels below the last row, for the selection bar. */
export const foot = 88;

/** What a window shows. Its position is remembered as an anchor, which can be located in another sheet too. */
type Shown<S extends Sheet, A> = {
  /** Lays out the sheet for a width; `before` is the sheet that it replaces. */
  sheet: (width: number, before: S | null) => S;
  anchorOf: (place: Place, sheet: S) => A;
  placeOf: (anchor: A, sheet: S) => Place;
  /** The initial position. */
  begin: A;
  /** Called when the position at the top changes. */
  onscrolled?: (anchor: A) => void;
};

/**
 * The window on a sheet of any height: the scrolling element, the place at its top, and the
 * rendered items. What is at the top stays there when rows move because the width changed or the
 * shape of pictures became known. Construct it while a component initializes.
 */
export class Scroller<S extends Sheet, A> {
  /** The scrolling element and its height. */
  view = $state<HTMLElement>();
  page = $state(0);
  /** The width of the sheet in pixels. */
  width = $state(0);
  #laid: S | null = null;
  #sheet = $derived.by(
    () => (this.#laid = this.#shown.sheet(Math.max(1, this.width), this.#laid)),
  );
  /** The place in the sheet at the top of the window, in pixels. */
  top = $state(0);
  /** The offset in pixels between a place in the sheet and the same place in the element. */
  base = $state(0);

  readonly #shown: Shown<S, A>;
  readonly #scale = new ScrollScale();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #anchor: A;
  #pending = true; // whether the anchor is a target that is not reached yet, and not the current position
  #held: S | null = null;
  #drawn: ReadonlyMap<number, Item> = new Map();

  // Part of the height above and below is rendered ahead, so that scrolling shows pictures.
  #wanted = $derived.by(() =>
    itemsBetween(
      this.sheet,
      this.top - this.page * 0.6 - 100,
      this.top + this.page * 1.6 + 100,
    ),
  );
  #seen = $derived.by(() =>
    itemsBetween(this.sheet, this.top, this.top + this.page),
  );
  // As numbers, so that an equal range is not a change.
  #from = $derived(this.#wanted.from);
  #to = $derived(this.#wanted.to);
  #first = $derived(this.#seen.from);
  #last = $derived(this.#seen.to);
  readonly #made: () => Range;
  #items = $derived.by(() => [
    ...(this.#drawn = placed(
      this.sheet,
      this.#made(),
      this.#drawn,
      untrack(() => this.top + this.page),
    )).values(),
  ]);

  constructor(shown: Shown<S, A>) {
    this.#shown = shown;
    this.#anchor = shown.begin;
    this.#made = makeAhead(
      () => ({ from: this.#first, to: this.#last }),
      () => this.range,
    );
    $effect.pre(() => this.#hold(this.sheet));
    $effect(() => () => clearTimeout(this.#timer));
  }

  /** The current layout. */
  get sheet(): S {
    return this.#sheet;
  }

  /** The items to load: the visible ones and some around them. */
  get range(): Range {
    return { from: this.#from, to: this.#to };
  }

  /** The rendered items. */
  get items(): readonly Item[] {
    return this.#items;
  }

  /** The height of the element that shows the sheet. */
  get height(): number {
    return Math.min(tallest, this.sheet.height + foot);
  }

  /** Handles a scroll event. */
  look(): void {
    if (!this.view || !this.sheet.count || this.#pending) return; // it may scroll again after its page was left
    this.#look(this.sheet);
    this.#shown.onscrolled?.(this.#anchor);
  }

  /** Handles the end of scrolling. At rest, the scroll bar moves to its proper position. */
  ended(): void {
    clearTimeout(this.#timer);
    if (this.base !== 0)
      this.#timer = setTimeout(() => this.#show(this.top), calm);
  }

  /** Scrolls to a place. */
  show(place: number): void {
    this.#show(place);
    // At once and not with the following scroll event: a page that loads meanwhile would keep the old place.
    this.#keep(this.sheet);
    this.#shown.onscrolled?.(this.#anchor);
  }

  /** Scrolls to an anchor as soon as its sheet is available. */
  begin(anchor: A): void {
    this.#anchor = anchor;
    this.#pending = true;
  }

  /**
   * Scrolls an item fully into view, with `above` pixels above its row, and focuses it, once the
   * sheet is laid out.
   */
  async focus(index: number, above = 0): Promise<void> {
    while (this.#pending && this.view?.isConnected !== false)
      await new Promise(requestAnimationFrame);
    const { top, height } = this.sheet.rowOf(index);
    const room = 8;
    if (top - above < this.top) this.show(Math.max(0, top - above - room));
    else if (top + height > this.top + this.page)
      this.show(top + height - this.page + room);
    await tick();
    this.view
      ?.querySelector<HTMLElement>(`#item-${index}`)
      ?.focus({ preventScroll: true });
  }

  #hold(now: S): void {
    const { view, page, width } = this;
    const before = this.#held;
    this.#held = now;
    untrack(() => {
      // The element has scrolled, but its event is pending.
      if (
        before?.count &&
        before !== now &&
        view &&
        !this.#pending &&
        view.scrollTop !== this.#scale.position
      )
        this.#look(before);
      this.#scale.height = now.height + foot;
      this.#scale.page = page;
      if (!now.count && this.top > 0) this.#show(0);
      if (
        !view ||
        !page ||
        !width ||
        !now.count ||
        (before === now && !this.#pending)
      )
        return;
      const place =
        this.top > 0 || this.#pending
          ? Math.max(0, topOf(now, this.#shown.placeOf(this.#anchor, now)))
          : 0;
      if (this.#pending || Math.abs(place - this.top) > 1) this.#show(place);
      this.#pending = false;
    });
  }

  #look(sheet: S): void {
    clearTimeout(this.#timer);
    this.top = this.#scale.scrolled(this.view!.scrollTop);
    this.base = this.#scale.base;
    if (this.#scale.stuck(this.top)) this.#show(this.top);
    this.#keep(sheet);
  }

  #keep(sheet: S): void {
    this.#anchor = this.#shown.anchorOf(
      placeAt(sheet, this.top, this.#shown.placeOf(this.#anchor, sheet)),
      sheet,
    );
  }

  // Scrolls, and renders what is there in the same frame.
  #show(place: number): void {
    const position = this.#scale.show(place);
    this.base = this.#scale.base;
    this.top = place;
    void tick().then(() => this.view && (this.view.scrollTop = position));
  }
}

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

/** Milliseconds after the end of a scroll in which no other one begins: a wheel ends one with every notch. */
const calm = 150;

/** Pixels below the last row, for the bar of a selection. */
export const foot = 88;

/** What a window shows. Of a place it keeps an anchor, which says where that is in another sheet too. */
type Shown<S extends Sheet, A> = {
  /** Lays the sheet out for a width; `before` is the one that it replaces. */
  sheet: (width: number, before: S | null) => S;
  anchorOf: (place: Place, sheet: S) => A;
  placeOf: (anchor: A, sheet: S) => Place;
  /** Where to begin. */
  begin: A;
  /** Told when another place is at the top. */
  onscrolled?: (anchor: A) => void;
};

/**
 * The window on a sheet of any height: the element that scrolls, the place at its top, and the items that are drawn. What is at the top stays
 * there when rows move, because of the width or of pictures whose shape became known. To be made while a component begins.
 */
export class Scroller<S extends Sheet, A> {
  /** The element that scrolls, and how high it is. */
  view = $state<HTMLElement>();
  page = $state(0);
  /** How wide the sheet is. */
  width = $state(0);
  #laid: S | null = null;
  #sheet = $derived.by(
    () => (this.#laid = this.#shown.sheet(Math.max(1, this.width), this.#laid)),
  );
  /** The place in the sheet at the top of the window. */
  top = $state(0);
  /** Pixels between a place in the sheet and the same place in the element. */
  base = $state(0);

  readonly #shown: Shown<S, A>;
  readonly #scale = new ScrollScale();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #anchor: A;
  #pending = true; // the anchor is where to go, and not where the window is
  #held: S | null = null;
  #drawn: ReadonlyMap<number, Item> = new Map();

  // A part of the height above and below is made ahead, so that scrolling shows pictures.
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
  // As numbers, which are the same when the range is.
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

  /** The sheet as it is laid out now. */
  get sheet(): S {
    return this.#sheet;
  }

  /** The items that are to be here: those that are seen, and some around them. */
  get range(): Range {
    return { from: this.#from, to: this.#to };
  }

  /** The items that are drawn. */
  get items(): readonly Item[] {
    return this.#items;
  }

  /** The height of the element that shows the sheet. */
  get height(): number {
    return Math.min(tallest, this.sheet.height + foot);
  }

  /** The element has scrolled. */
  look(): void {
    if (!this.view || !this.sheet.count || this.#pending) return; // it may scroll once more when its page has gone
    this.#look(this.sheet);
    this.#shown.onscrolled?.(this.#anchor);
  }

  /** It has come to an end of scrolling. At rest the scroll bar goes where it should be. */
  ended(): void {
    clearTimeout(this.#timer);
    if (this.base !== 0)
      this.#timer = setTimeout(() => this.#show(this.top), calm);
  }

  /** Goes to a place. */
  show(place: number): void {
    this.#show(place);
    // At once, not with the event that follows: a page that comes meanwhile would hold on to the place before.
    this.#keep(this.sheet);
    this.#shown.onscrolled?.(this.#anchor);
  }

  /** Goes to an anchor as soon as its sheet is here. */
  begin(anchor: A): void {
    this.#anchor = anchor;
    this.#pending = true;
  }

  /** Shows an item whole, with so much above its row, and puts the focus on it, once the sheet is laid out. */
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
      // The element has scrolled, and its event is still to come.
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

  // Together with what is drawn there in the same moment.
  #show(place: number): void {
    const position = this.#scale.show(place);
    this.base = this.#scale.base;
    this.top = place;
    void tick().then(() => this.view && (this.view.scrollTop = position));
  }
}

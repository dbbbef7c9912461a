/**
 * The maximum height in pixels of a sheet that is not scaled. Browsers limit scrolling to 17 to 33
 * million pixels, and become imprecise long before.
 */
export const tallest = 8_000_000;
/** Pixels between two scroll events beyond which the scroll bar was dragged. */
const far = 5000;
/** Pixels at both ends in which sheet and element coincide. */
const end = 20_000;

/**
 * Maps a sheet that is higher than browsers can scroll to an element of height `tallest`. Dragging
 * the scroll bar shows proportional places; from there, scrolling is pixel by pixel, shifted by
 * `base`.
 */
export class ScrollScale {
  /** The offset in pixels between a place in the sheet and the same place in the element. */
  base = 0;
  /** The last known scroll position. */
  position = 0;

  /** `height` is the height of the sheet, `page` that of the window, in pixels. */
  constructor(
    public height = 0,
    public page = 0,
  ) {}

  /** The height of the element. */
  get element(): number {
    return Math.min(this.height, tallest);
  }

  get #room(): { sheet: number; element: number } {
    return {
      sheet: Math.max(0, this.height - this.page),
      element: Math.max(0, this.element - this.page),
    };
  }

  // Maps a position from the range 0 to `from` proportionally to the range 0 to `to`.
  static #map(at: number, from: number, to: number): number {
    if (at <= end) return at;
    if (at >= from - end) return to - (from - at);
    return end + ((at - end) / (from - 2 * end)) * (to - 2 * end);
  }

  /** The place in the sheet for a scroll position. */
  scrolled(position: number): number {
    const { sheet, element } = this.#room;
    const moved = position - this.position;
    this.position = position;
    if (sheet === element) this.base = 0;
    else if (Math.abs(moved) > far)
      this.base = ScrollScale.#map(position, element, sheet) - position;
    return Math.min(sheet, Math.max(0, this.base + position));
  }

  /** The scroll position that shows a place: unchanged, or proportional, where the scroll bar should be. */
  show(top: number): number {
    const { sheet, element } = this.#room;
    const place = Math.min(sheet, Math.max(0, top));
    const position =
      sheet === element
        ? place
        : Math.round(ScrollScale.#map(place, sheet, element));
    this.base = place - position;
    this.position = position;
    return sheet === element ? top : position;
  }

  /** Whether the element ends here although the sheet continues. */
  stuck(top: number): boolean {
    const { sheet, element } = this.#room;
    const { position } = this;
    return (
      sheet !== element &&
      ((position <= 0 && top > 1) ||
        (position >= element - 1 && top < sheet - 1))
    );
  }
}

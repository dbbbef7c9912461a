/** Pixels up to which a sheet scrolls as it is. Browsers end at 17 to 33 million, and draw less exactly long before. */
export const tallest = 8_000_000;
/** Pixels from one scroll event to the next beyond which somebody has dragged the scroll bar. */
const far = 5000;
/** Pixels at both ends in which the element is the sheet. */
const end = 20_000;

/**
 * A sheet that is higher than what browsers can scroll. The element is `tallest` high: its scroll bar leads to places in
 * proportion, and from there on it scrolls pixel by pixel, shifted by `base`.
 */
export class ScrollScale {
  /** Pixels between a place in the sheet and the same place in the element. */
  base = 0;
  /** The scroll position that was seen or set last. */
  position = 0;

  /** `height` is that of the sheet, `page` that of the window. */
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

  // Maps a position from 0 to `from` to one from 0 to `to` in proportion.
  static #map(at: number, from: number, to: number): number {
    if (at <= end) return at;
    if (at >= from - end) return to - (from - at);
    return end + ((at - end) / (from - 2 * end)) * (to - 2 * end);
  }

  /** The place in the sheet that a scroll position shows. */
  scrolled(position: number): number {
    const { sheet, element } = this.#room;
    const moved = position - this.position;
    this.position = position;
    if (sheet === element) this.base = 0;
    else if (Math.abs(moved) > far)
      this.base = ScrollScale.#map(position, element, sheet) - position;
    return Math.min(sheet, Math.max(0, this.base + position));
  }

  /** The scroll position that shows a place: the same, or the one in proportion, as the scroll bar should have it. */
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

  /** Whether the element ends here though the sheet goes on. */
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

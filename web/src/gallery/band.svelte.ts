import { itemsIn, type Area, type Sheet } from "./sheet";

/**
 * Pixels that the pointer must move before a band begins, and the width of the zone at the edges of
 * the view that scrolls.
 */
const [slack, rim] = [5, 40];

type BandTarget = {
  /** `view` is the scrolling element; `sheet`, inside it, shows the sheet from position `base()` on. */
  view: HTMLElement;
  sheet: HTMLElement;
  base: () => number;
  rows: () => Sheet;
  /** Called with the indexes of the items in the band whenever they change. */
  choose: (items: number[]) => void;
};

/**
 * A rubber band that selects the items it touches. It is measured in the pixels of the sheet, and
 * scrolls at the edges of the view.
 */
export class Band {
  area = $state.raw<Area | null>(null);
  #from = { x: 0, y: 0 };
  #pointer: { id: number; x: number; y: number } | null = null;
  #frame = 0;

  constructor(readonly target: BandTarget) {}

  /** Handles pointerdown, which may begin a band. */
  down(event: PointerEvent): void {
    const { view } = this.target;
    const box = view.getBoundingClientRect();
    if (event.clientX > box.left + view.clientWidth) return; // on the scroll bar
    this.#pointer = { id: event.pointerId, x: event.clientX, y: event.clientY };
    this.#from = this.#on(event.clientX, event.clientY);
  }

  /** Handles pointermove. */
  move(event: PointerEvent): void {
    const pointer = this.#pointer;
    if (pointer?.id !== event.pointerId) return;
    const to = this.#on(event.clientX, event.clientY);
    if (
      !this.area &&
      Math.hypot(to.x - this.#from.x, to.y - this.#from.y) < slack
    )
      return;
    if (!this.area) this.target.view.setPointerCapture(event.pointerId);
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    this.#draw();
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  /**
   * Handles pointerup. Returns whether there was a band, in which case the following click is to
   * be ignored.
   */
  up(event: PointerEvent): boolean {
    if (this.#pointer?.id !== event.pointerId) return false;
    const was = this.area !== null;
    this.#pointer = null;
    this.area = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    return was;
  }

  #on(x: number, y: number) {
    const box = this.target.sheet.getBoundingClientRect();
    return { x: x - box.left, y: y - box.top + this.target.base() };
  }

  #draw(): void {
    if (!this.#pointer) return;
    const to = this.#on(this.#pointer.x, this.#pointer.y);
    const width = this.target.sheet.clientWidth;
    const { height } = this.target.rows();
    const within = (value: number, max: number) =>
      Math.min(max, Math.max(0, value));
    const [left, right] = [
      Math.min(to.x, this.#from.x),
      Math.max(to.x, this.#from.x),
    ];
    const [top, bottom] = [
      Math.min(to.y, this.#from.y),
      Math.max(to.y, this.#from.y),
    ];
    this.area = {
      left: within(left, width),
      right: within(right, width),
      top: within(top, height),
      bottom: within(bottom, height),
    };
    this.target.choose(
      itemsIn(this.target.rows(), { left, right, top, bottom }),
    );
  }

  #scroll(): void {
    this.#frame = 0;
    if (!this.#pointer) return;
    const { view } = this.target;
    const box = view.getBoundingClientRect();
    const beyond =
      this.#pointer.y < box.top + rim
        ? this.#pointer.y - box.top - rim
        : Math.max(0, this.#pointer.y - box.bottom + rim);
    if (!beyond) return;
    view.scrollTop += Math.max(-20, Math.min(20, beyond / 3));
    this.#draw();
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }
}

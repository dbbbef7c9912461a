import { tick } from 'svelte'
import { Tall, tallest } from './tall'

/** Milliseconds after the end of a scroll in which no other one begins: a wheel ends one with every notch. */
const calm = 150

/** The window on a sheet of any height: the place at its top, and the element that scrolls. */
export class Scroller {
  view = $state<HTMLElement>()
  /** How high the window is. */
  page = $state(0)
  /** The place in the sheet at the top of the window. */
  top = $state(0)
  /** Pixels between a place in the sheet and the same place in the element. */
  base = $state(0)
  #tall = new Tall()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** The height of the element that shows a sheet of a height. */
  static element(height: number): number {
    return Math.min(tallest, height)
  }

  /** How high the sheet is now. */
  resize(height: number): void {
    this.#tall.height = height
    this.#tall.page = this.page
  }

  /** Whether the element has scrolled, and its event is still to come. */
  get pending(): boolean {
    return this.view !== undefined && this.view.scrollTop !== this.#tall.position
  }

  /** The element has scrolled. */
  look(): void {
    clearTimeout(this.#timer)
    this.top = this.#tall.scrolled(this.view!.scrollTop)
    this.base = this.#tall.base
    if (this.#tall.stuck(this.top)) this.show(this.top)
  }

  /** It has come to an end of scrolling. At rest the scroll bar goes where it should be. */
  ended(): void {
    clearTimeout(this.#timer)
    if (this.base !== 0) this.#timer = setTimeout(() => this.show(this.top), calm)
  }

  /** Goes to a place, together with what is drawn there in the same moment. */
  show(place: number): void {
    const position = this.#tall.show(place)
    this.base = this.#tall.base
    this.top = place
    void tick().then(() => this.view && (this.view.scrollTop = position))
  }

  /** The place nearest to this one at which something is seen whole. */
  revealed(top: number, bottom: number, room = 8): number {
    if (top < this.top) return Math.max(0, top - room)
    return bottom > this.top + this.page ? bottom - this.page + room : this.top
  }

  /** Nothing happens any more. */
  stop(): void {
    clearTimeout(this.#timer)
  }
}

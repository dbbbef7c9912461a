import { fromAddress, toAddress } from './address'
import { History } from './history.svelte'
import { layersOf } from './layers'
import { format, same, type Operations } from './operations'
import type { Size } from './size'

export type Panel = 'crop' | 'size' | 'adjust' | 'detail' | 'frame' | 'layers' | 'output'

/** What is edited: one picture, its document with history, and what is chosen in it. Controls read and change only this. */
export class Editing {
  readonly history: History
  panel = $state<Panel>('adjust')
  /** The place of the chosen layer in the list of filters; -1 without one. */
  chosen = $state(-1)
  #saved = $state.raw<Operations>()!

  constructor(
    /** Path in the storage. */
    readonly file: string,
    /** The path as the URL has it. */
    readonly image: string,
    /** In pixels, upright. */
    readonly source: Size,
    query: Pick<URLSearchParams, 'get'>,
  ) {
    this.history = new History(fromAddress(query))
    this.#saved = this.history.operations
  }

  get operations(): Operations {
    return this.history.operations
  }
  /** The operations and the image: what stands after the signature. */
  get path(): string {
    return format(this.operations) + this.image
  }
  get address() {
    return toAddress(this.operations)
  }
  get layers() {
    return layersOf(this.operations)
  }
  get layer() {
    return this.layers.find((layer) => layer.at === this.chosen)
  }
  get dirty(): boolean {
    return !same(this.#saved, this.operations)
  }
  /** What is here now is kept somewhere. */
  saved(): void {
    this.#saved = this.operations
  }
  /** Makes a change; those with one key that follow each other closely are one step. */
  change(operations: Operations, key = ''): void {
    this.history.change(operations, key)
  }
}

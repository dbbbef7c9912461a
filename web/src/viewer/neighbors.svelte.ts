import { FilePages, type Tile } from "../gallery/pages.svelte";
import { takeHandedOver } from "./handover";
import { locate } from "./locate";
import { listOf } from "./origin";

/** Pictures around the current one that are loaded when the list is requested again. */
const around = 3;

/** Pictures before and after the current one that are loaded for the filmstrip. */
export const reach = 24;

/** The pictures around the current one, in the order of the gallery. */
export class Neighbors {
  index = $state(-1);
  /** The URL of the thumbnail that is already on screen; empty if the page was not opened from a list. */
  readonly thumbnail: string;
  #files = $state.raw() as FilePages;

  constructor(path: string, query: URLSearchParams) {
    const handed = takeHandedOver();
    this.thumbnail = handed?.source ?? "";
    this.#files = handed?.files ?? new FilePages(listOf(path, query));
    void this.find(path, handed?.index);
  }

  get count(): number {
    return this.#files.count;
  }

  /** The number of pictures for display: "1,000+" while the exact one is unknown. */
  get total(): number | string {
    return this.#files.total;
  }

  /** The picture `step` places after the current one; undefined if there is none or it is not loaded. */
  at(step: number): Tile | undefined {
    void this.#files.version;
    return this.index < 0 ? undefined : this.#files.at(this.index + step);
  }

  /**
   * Makes a path the current one and loads its neighbors. `index` is where it probably is in the
   * list; -1 if unknown.
   */
  async find(path: string, index = -1): Promise<void> {
    const files = this.#files;
    await files.ready;
    let at = files.indexOf(path);
    if (at < 0 && index >= 0) {
      await files.need(index, index + 1);
      at = files.indexOf(path);
    }
    if (at < 0) at = await locate(files, path);
    this.index = at;
    if (at >= 0) void files.need(Math.max(0, at - reach), at + reach + 1);
  }

  /** The picture at an index of the list, loaded if necessary. */
  async place(index: number): Promise<Tile | undefined> {
    await this.#files.need(index, index + 1);
    return this.#files.at(index);
  }

  /** Reloads a picture that has changed. */
  touch(path: string): void {
    this.#files.touch(path);
  }

  /** Removes a picture from the list. Returns the next one, which takes its place. */
  remove(path: string): Tile | undefined {
    this.#files.remove(new Set([path]));
    return this.#files.at(this.index) ?? this.#files.at(this.index - 1);
  }

  /** Reloads the list after a picture has returned to it. */
  async renew(): Promise<void> {
    const next = await this.#files.renewed(this.index + around);
    if (!next) return;
    this.#files.close();
    this.#files = next;
  }

  close(): void {
    this.#files.close();
  }
}

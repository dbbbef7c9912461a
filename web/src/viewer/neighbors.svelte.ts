import { FilePages, type Tile } from "../gallery/pages.svelte";
import { takeHandedOver } from "./handover";
import { locate } from "./locate";
import { listOf } from "./origin";

/** Pictures beyond the one that is seen that are fetched when the list is asked for again. */
const around = 3;

/** Pictures before and after it that are fetched for the filmstrip. */
export const reach = 24;

/** The pictures around the one that is seen, in the order of the gallery. */
export class Neighbors {
  index = $state(-1);
  /** The thumbnail that is on the screen already; empty for an address that was typed. */
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

  /** The number of pictures to be read: 1,000+ while it is not known. */
  get total(): number | string {
    return this.#files.total;
  }

  /** The picture so many places further on; undefined when there is none, or it is not here yet. */
  at(step: number): Tile | undefined {
    void this.#files.version;
    return this.index < 0 ? undefined : this.#files.at(this.index + step);
  }

  /** Goes to a path, which is probably at an index, and fetches what is around it. */
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

  /** The picture at a place of the list, fetched when it is not here. */
  async place(index: number): Promise<Tile | undefined> {
    await this.#files.need(index, index + 1);
    return this.#files.at(index);
  }

  /** Asks again for a picture that has changed. */
  touch(path: string): void {
    this.#files.touch(path);
  }

  /** Takes a picture out of the list, which shows the next one at its place. */
  remove(path: string): Tile | undefined {
    this.#files.remove(new Set([path]));
    return this.#files.at(this.index) ?? this.#files.at(this.index - 1);
  }

  /** Asks for the list as it is now: a picture is back in it. */
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

import { FilePages, type Tile } from "../gallery/pages.svelte";
import { parentOf } from "../gallery/folders.svelte";
import { parseQuery, sortOf, toFilter } from "../gallery/query";
import { takeHandedOver } from "./handover";

/** Pages of a folder that are looked through for a picture whose place is not known. */
const patience = 20;
const pageSize = 100;
/** Pictures beyond the one that is seen that are fetched when the list is asked for again. */
const around = 3;

/** Pictures before and behind it that are fetched for the filmstrip. */
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
    this.#files = handed?.files ?? new FilePages(wanted(path, query));
    void this.find(path);
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

  /** Goes to a path, and fetches what is around it. */
  async find(path: string): Promise<void> {
    await this.#files.ready;
    let at = this.#files.indexOf(path);
    for (let page = 0; at < 0 && page < patience; page++) {
      const from = page * pageSize;
      if (page > 0 && from >= this.#files.count) await this.#files.counted;
      if (page > 0 && from >= this.#files.count) break;
      await this.#files.need(from, from + pageSize);
      at = this.#files.indexOf(path);
    }
    this.index = at;
    if (at >= 0) void this.#files.need(Math.max(0, at - reach), at + reach + 1);
  }

  /** The picture at a place of the list, fetched when it is not here. */
  async place(index: number): Promise<Tile | undefined> {
    await this.#files.need(index, index + 1);
    return this.#files.at(index);
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

function wanted(path: string, query: URLSearchParams) {
  const text = query.get("q") ?? "";
  const { sort, order } = sortOf(query);
  const { filter, search } = toFilter(parseQuery(text));
  return {
    folder: parentOf(path),
    recursive: text !== "",
    filter: { ...filter, isTemplate: false },
    search,
    sort,
    order,
  };
}

import { FilePages, type Tile } from "../gallery/pages.svelte";
import { request } from "../api/request";
import { Placed } from "./documents";
import { takeHandedOver } from "./handover";
import { compareFiles } from "./order";
import { listOf } from "./origin";

/** Pages on each side that are searched for a picture whose sort key equals that of others. */
const patience = 10;
const pageSize = 100;
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
    if (at < 0) at = await this.#locate(path);
    this.index = at;
    if (at >= 0) void files.need(Math.max(0, at - reach), at + reach + 1);
  }

  // A binary search over the pages of the list, by the order of the files. Beside files with an equal sort key, the
  // pages are searched one after the other.
  async #locate(path: string): Promise<number> {
    const files = this.#files;
    await files.counted;
    if (files.wanted.album) return this.#through(path);
    const { file } = await request(Placed, { path }).catch(() => ({
      file: null,
    }));
    if (!file) return -1;
    const { sort, order } = files.wanted;
    const compare = (index: number) =>
      compareFiles(file, files.at(index)!, sort, order);
    const look = async (page: number) => {
      const from = page * pageSize;
      const to = Math.min(from + pageSize, files.count);
      await files.need(from, to);
      return files.at(from) && files.at(to - 1) ? { from, to } : null;
    };
    let [low, high] = [0, Math.ceil(files.count / pageSize) - 1];
    while (low <= high) {
      const page = (low + high) >> 1;
      const part = await look(page);
      const at = files.indexOf(path);
      if (at >= 0 || !part) return at;
      if (compare(part.from) < 0) high = page - 1;
      else if (compare(part.to - 1) > 0) low = page + 1;
      else return this.#beside(page, look, path);
    }
    return -1;
  }

  // An album may have an order of its own: its pages are searched from the start.
  async #through(path: string): Promise<number> {
    const files = this.#files;
    for (let from = 0; from < files.count; from += pageSize) {
      await files.need(from, Math.min(from + pageSize, files.count));
      const at = files.indexOf(path);
      if (at >= 0 || !files.at(from)) return at;
    }
    return -1;
  }

  async #beside(
    page: number,
    look: (page: number) => Promise<unknown>,
    path: string,
  ): Promise<number> {
    for (let step = 1; step <= patience; step++)
      for (const near of [page - step, page + step]) {
        if (near < 0 || near * pageSize >= this.#files.count) continue;
        await look(near);
        const at = this.#files.indexOf(path);
        if (at >= 0) return at;
      }
    return -1;
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

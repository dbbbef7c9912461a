import type { Page } from "../api/pages";
import { insist } from "../api/insist";
import { messageOf } from "../api/request";
import { tellError } from "../gallery/actions";
import { toasts } from "./toasts.svelte";

/**
 * A list that is loaded page by page. A failure is shown as a message and keeps the loaded items;
 * the first page is requested until it arrives.
 */
export class Paged<T> {
  items = $state.raw<T[]>([]);
  /** Whether there is another page. */
  more = $state(false);
  /** Whether the first page has arrived or failed. */
  loaded = $state(false);
  /** Whether the newest request failed. */
  failed = $state(false);
  #after: string | null = null;
  #asked = 0;
  #stop = new AbortController();

  /** `ask` fetches the page after a cursor; null for the first page. */
  constructor(
    readonly ask: (
      after: string | null,
      signal?: AbortSignal,
    ) => Promise<Page<T> | null | undefined>,
  ) {}

  /** Loads the first page and replaces the list. */
  load(signal?: AbortSignal): Promise<void> {
    return this.#take(null, signal);
  }

  /** Loads the next page. */
  next(): Promise<void> {
    return this.#take(this.#after);
  }

  /**
   * Reloads all loaded pages, one after the other. What `load` or `next` was asked for meanwhile
   * takes precedence.
   */
  async again(): Promise<void> {
    const asked = this.#asked;
    const shown = this.items.length;
    let page = await this.ask(null);
    const items = [...(page?.nodes ?? [])];
    while (page?.pageInfo.hasNextPage && items.length < shown) {
      page = await this.ask(page.pageInfo.endCursor ?? null);
      items.push(...(page?.nodes ?? []));
    }
    if (!page || asked !== this.#asked) return;
    this.items = items;
    this.#after = page.pageInfo.endCursor ?? null;
    this.more = page.pageInfo.hasNextPage;
  }

  // If several requests overlap, only the last one counts.
  async #take(after: string | null, signal?: AbortSignal): Promise<void> {
    const asked = ++this.#asked;
    this.#stop.abort();
    this.#stop = new AbortController();
    const either = AbortSignal.any(
      signal ? [signal, this.#stop.signal] : [this.#stop.signal],
    );
    const ask = () => this.ask(after, either);
    let note: number | undefined;
    const failed = (error: unknown) => {
      [this.failed, this.loaded] = [true, true];
      note ??= toasts.show("error", messageOf(error));
    };
    try {
      const page = await (after ? ask() : insist(ask, either, failed));
      if (!page || asked !== this.#asked) return;
      this.failed = false;
      this.items = after ? [...this.items, ...page.nodes] : page.nodes;
      this.#after = page.pageInfo.endCursor ?? null;
      this.more = page.pageInfo.hasNextPage;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.failed = true;
      tellError(error);
    } finally {
      if (note !== undefined) toasts.close(note);
      this.loaded = true;
    }
  }
}

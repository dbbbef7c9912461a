import { ApiError, request } from '../api/request'
import type { FileFilter, FileSort, SortOrder, TileFragment } from '../api/graphql'
import { Files } from './documents'

export type Tile = TileFragment

/** Which files, and in which order. */
export type Wanted = { folder: string; recursive: boolean; filter: FileFilter; search: string; sort: FileSort; order: SortOrder }

type Page = { after: string | null; start: number; count: number; items: Tile[] | null }

const pageSize = 100
/** Pages kept on each side of what is shown; the others keep their ratios only and are asked for again. */
const kept = 10
/** The ratio of a picture that is not known yet. */
const usual = 1.5
const lookAgain = 2500
const maxLooks = 20

/**
 * The files of a query, page by page along the cursor, as somebody scrolls. Memory is bounded: of pages far away only
 * the ratios stay, with which the grid is laid out.
 */
export class FilePages {
  /** How many files there are. */
  count = $state(0)
  /** Changes with every change of what `at` and `ratios` answer. */
  version = $state(0)
  /** The first page is under way. */
  loading = $state(true)
  failure = $state.raw<ApiError | null>(null)
  ratios: Float32Array = new Float32Array(0)
  /** The first page has come, or failed. */
  readonly ready: Promise<void>

  #pages: Page[] = []
  #next: string | null = null
  #ended = false
  #busy = new Map<Page | 'next', Promise<void>>()
  #stop = new AbortController()
  #looks = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(readonly wanted: Wanted) {
    this.ready = this.#append()
  }

  /** Stops what is under way. */
  close(): void {
    this.#stop.abort()
    clearTimeout(this.#timer)
  }

  /** The file at an index; undefined while it is not here. */
  at(index: number): Tile | undefined {
    const page = this.#pageOf(index)
    return page?.items?.[index - page.start]
  }

  /** Fetches what lacks from one index up to another, and forgets what is far from there. */
  async need(from: number, to: number): Promise<void> {
    const first = this.#pageOf(from)
    if (first) this.#forget(this.#pages.indexOf(first), Math.ceil((to - from) / pageSize))
    for (const page of this.#pages) {
      if (page.start < to && page.start + page.count > from && !page.items) await this.#fill(page)
    }
    while (!this.#ended && !this.failure && this.#loaded < Math.min(to, this.count)) await this.#append()
  }

  /** The paths of a range, which is fetched when it is not here. */
  async paths(from: number, to: number): Promise<string[]> {
    const paths: string[] = []
    for (let at = from; at < to; at += pageSize) {
      const end = Math.min(to, at + pageSize)
      await this.need(at, end)
      for (let i = at; i < end; i++) {
        const tile = this.at(i)
        if (tile) paths.push(tile.path)
      }
    }
    return paths
  }

  /** The index of a path among what is here; -1 when it is not. */
  indexOf(path: string): number {
    for (const page of this.#pages) {
      const i = page.items?.findIndex((tile) => tile.path === path) ?? -1
      if (i >= 0) return page.start + i
    }
    return -1
  }

  /** Takes files out of the list, as moving or deleting them does, without asking the server. */
  remove(paths: ReadonlySet<string>): void {
    const ratios: number[] = []
    let removed = 0
    for (const page of this.#pages) {
      const before = page.start
      page.start -= removed
      for (let i = 0; i < page.count; i++) {
        if (page.items && paths.has(page.items[i]!.path)) continue
        ratios.push(this.ratios[before + i]!)
      }
      if (!page.items) continue
      page.items = page.items.filter((tile) => !paths.has(tile.path))
      removed += page.count - page.items.length
      page.count = page.items.length
    }
    this.count -= removed
    const all = new Float32Array(this.count).fill(usual)
    all.set(ratios.slice(0, this.count))
    this.ratios = all
    this.version++
  }

  /** Asks again for what is known of a file that has changed. */
  touch(path: string): void {
    const at = this.indexOf(path)
    const page = at < 0 ? undefined : this.#pageOf(at)
    if (page) void this.#fill(page)
  }

  /** The same list as the server has it now, as far as an index; to be shown in place of this one. Null when that fails. */
  async renewed(to: number): Promise<FilePages | null> {
    const next = new FilePages(this.wanted)
    await next.ready
    await next.need(0, to)
    if (!next.failure) return next
    next.close()
    return null
  }

  /** Tries again after a failure. */
  retry(): void {
    this.failure = null
    void this.#append()
  }

  get #loaded(): number {
    const last = this.#pages.at(-1)
    return last ? last.start + last.count : 0
  }

  #pageOf(index: number): Page | undefined {
    let low = 0
    let high = this.#pages.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const page = this.#pages[middle]!
      if (index < page.start) high = middle - 1
      else if (index >= page.start + page.count) low = middle + 1
      else return page
    }
    return undefined
  }

  #forget(middle: number, shown: number): void {
    for (const [i, page] of this.#pages.entries()) {
      if (i < middle - kept || i > middle + shown + kept) page.items = null
    }
  }

  #append(): Promise<void> {
    return this.#once('next', async () => {
      const first = this.#pages.length === 0
      const page: Page = { after: this.#next, start: this.#loaded, count: 0, items: null }
      const answer = await this.#ask(page.after, first)
      this.#ended = !answer.pageInfo.hasNextPage
      this.#next = answer.pageInfo.endCursor ?? null
      page.items = answer.nodes
      page.count = answer.nodes.length
      if (page.count) this.#pages.push(page)
      if (first) this.count = answer.totalCount ?? page.count
      if (this.#ended) this.count = this.#loaded
      this.loading = false
      this.#measure(page)
    })
  }

  #fill(page: Page): Promise<void> {
    return this.#once(page, async () => {
      const answer = await this.#ask(page.after, false)
      page.items = answer.nodes.slice(0, page.count)
      this.#measure(page)
    })
  }

  // Ratios of a page that arrived. Pictures that the server has still to look at are asked for again a little later.
  #measure(page: Page): void {
    if (this.ratios.length < this.count) {
      const longer = new Float32Array(this.count).fill(usual)
      longer.set(this.ratios)
      this.ratios = longer
    } else if (this.ratios.length > this.count) this.ratios = this.ratios.slice(0, this.count)
    let pending = false
    for (const [i, tile] of (page.items ?? []).entries()) {
      this.ratios[page.start + i] = tile.width && tile.height ? tile.width / tile.height : usual
      pending ||= tile.metadata === 'PENDING'
    }
    this.version++
    if (!pending || this.#looks >= maxLooks) return
    this.#looks++
    this.#timer = setTimeout(() => void this.#fill(page), lookAgain)
  }

  async #ask(after: string | null, count: boolean) {
    const { files } = await request(Files, { ...this.wanted, search: this.wanted.search || null, first: pageSize, after, count }, { signal: this.#stop.signal })
    if (!files) throw new ApiError('NOT_FOUND', this.wanted.folder)
    return files
  }

  #once(what: Page | 'next', work: () => Promise<void>): Promise<void> {
    const running = this.#busy.get(what)
    if (running) return running
    const promise = work()
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return
        this.loading = false
        this.failure = error instanceof ApiError ? error : new ApiError('INTERNAL', String(error))
      })
      .finally(() => this.#busy.delete(what))
    this.#busy.set(what, promise)
    return promise
  }
}

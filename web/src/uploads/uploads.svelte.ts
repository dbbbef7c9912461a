import type { Upload as TusUpload } from 'tus-js-client'
import { SvelteMap } from 'svelte/reactivity'
import { ApiError, refuse, request } from '../api/request'
import { folders, joinPath, parentOf } from '../gallery/folders.svelte'
import { CancelUpload, CreateUpload, FinishUpload } from './documents'
import type { Picked } from './pick'

export type State = 'waiting' | 'sending' | 'paused' | 'conflict' | 'failed' | 'done'
export type Policy = 'ERROR' | 'RENAME' | 'REPLACE'

/** How many are sent at the same time. */
const lanes = 3
const chunk = 8 << 20
/** After a broken connection it is tried again after these times, in milliseconds, then it waits for the person. */
const retries = [500, 1000, 3000, 5000, 10_000, 20_000]

/** One file on its way. */
export class Upload {
  state = $state<State>('waiting')
  sent = $state(0)
  reason = $state('')
  /** A small picture of it, until it is removed from the list. */
  readonly preview: string
  policy: Policy = 'ERROR'
  #tus: TusUpload | null = null
  #id: string | null = null

  constructor(
    readonly id: number,
    readonly file: File,
    readonly path: string,
  ) {
    this.preview = /^image\/(jpeg|png|webp|gif|avif)$/.test(file.type) && file.size < 30e6 ? URL.createObjectURL(file) : ''
  }

  async run(): Promise<void> {
    this.state = 'sending'
    this.reason = ''
    try {
      if (this.#tus) await this.#send(this.#tus)
      else await this.#announce()
      const { finishUpload } = await request(FinishUpload, { input: { id: this.#id! } })
      refuse(finishUpload?.userErrors ?? [])
      this.state = 'done'
    } catch (error) {
      if (this.#paused) return
      const conflict = error instanceof ApiError && error.code === 'CONFLICT'
      if (conflict) this.#tus = null
      this.state = conflict ? 'conflict' : 'failed'
      this.reason = error instanceof Error ? error.message : String(error)
    }
  }

  get #paused(): boolean {
    return this.state === 'paused'
  }

  async #announce(): Promise<void> {
    const input = { path: this.path, contentType: this.file.type.startsWith('image/') ? this.file.type : 'application/octet-stream', sizeBytes: this.file.size, onConflict: this.policy }
    const { createUpload } = await request(CreateUpload, { input })
    refuse(createUpload?.userErrors ?? [])
    const { id, url } = createUpload!.upload!
    this.#id = id
    const { Upload: Tus } = await import('tus-js-client')
    this.#tus = new Tus(this.file, {
      uploadUrl: new URL(url, location.href).href,
      chunkSize: chunk,
      retryDelays: retries,
      storeFingerprintForResuming: false,
      onProgress: (sent) => (this.sent = sent),
    })
    await this.#send(this.#tus)
  }

  #send(tus: TusUpload): Promise<void> {
    return new Promise((resolve, reject) => {
      tus.options.onSuccess = () => resolve()
      tus.options.onError = reject
      this.#stopped = () => reject(new Error('paused'))
      tus.start()
    })
  }
  #stopped: () => void = () => undefined

  pause(): void {
    if (this.state === 'waiting') this.state = 'paused'
    if (this.state !== 'sending') return
    this.state = 'paused'
    void this.#tus?.abort()
    this.#stopped()
  }

  /** Gives it up; the server removes what has arrived. */
  cancel(): void {
    this.pause()
    if (this.#id && this.state !== 'done') request(CancelUpload, { input: { id: this.#id } }).catch(() => undefined)
    if (this.preview) URL.revokeObjectURL(this.preview)
  }
}

/** All uploads of this tab. They go on while somebody looks at other pages. */
class Uploads {
  list = $state.raw<Upload[]>([])
  readonly #finished = new SvelteMap<string, number>()
  #next = 1

  /** Starts uploading into a folder. */
  add(folder: string, picked: Picked[]): void {
    if (!picked.length) return
    this.list = [...this.list, ...picked.map(({ file, path }) => new Upload(this.#next++, file, joinPath(folder, path)))]
    this.#fill()
  }

  /** A number that grows whenever uploads into a folder, or below it, have finished. */
  finishedIn(folder: string): number {
    return this.#finished.get(folder) ?? 0
  }

  get done(): number {
    return this.list.filter((one) => one.state === 'done').length
  }
  get running(): boolean {
    return this.list.some((one) => one.state === 'sending' || one.state === 'waiting')
  }
  get bytes(): { sent: number; all: number } {
    const all = this.list.reduce((sum, one) => sum + one.file.size, 0)
    return { sent: this.list.reduce((sum, one) => sum + (one.state === 'done' ? one.file.size : one.sent), 0), all }
  }

  /** Tries one again; with a policy when its name is taken. */
  retry(upload: Upload, policy?: Policy): void {
    if (policy) upload.policy = policy
    upload.state = 'waiting'
    this.#fill()
  }
  /** Answers every open conflict the same way; null leaves those files out. */
  resolveAll(policy: Policy | null): void {
    for (const upload of this.list.filter((one) => one.state === 'conflict')) {
      if (policy) this.retry(upload, policy)
      else this.drop(upload)
    }
  }
  pauseAll(): void {
    for (const upload of this.list) upload.pause()
  }
  resumeAll(): void {
    for (const upload of this.list) if (upload.state === 'paused' || upload.state === 'failed') upload.state = 'waiting'
    this.#fill()
  }
  drop(upload: Upload): void {
    upload.cancel()
    this.list = this.list.filter((one) => one !== upload)
    this.#fill()
  }
  /** Empties the list; what runs is given up. */
  clear(): void {
    for (const upload of this.list) upload.cancel()
    this.list = []
  }

  #fill(): void {
    const room = lanes - this.list.filter((one) => one.state === 'sending').length
    for (const upload of this.list.filter((one) => one.state === 'waiting').slice(0, Math.max(0, room))) {
      void upload.run().then(() => {
        this.#fill()
        if (upload.state === 'done') this.#tell(upload.path)
      })
    }
  }

  // The pages that show the folder hear of it once a moment, not for each of hundreds of files.
  #told = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #tell(path: string): void {
    for (let folder = parentOf(path); ; folder = parentOf(folder)) {
      this.#told.add(folder)
      if (!folder) break
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      for (const folder of this.#told) {
        this.#finished.set(folder, this.finishedIn(folder) + 1)
        void folders.reload(folder).catch(() => undefined)
      }
      this.#told.clear()
    }, 600)
  }
}

export const uploads = new Uploads()

import type { DetailedError, Upload as TusUpload } from 'tus-js-client'
import { ApiError, messageOf, refuse, request } from '../api/request'
import { t } from '../messages/index.svelte'
import { CancelUpload, CreateUpload, FinishUpload } from './documents'
import { persist, retries } from './persist'

export type State = 'waiting' | 'sending' | 'paused' | 'conflict' | 'failed' | 'done'
export type Policy = 'ERROR' | 'RENAME' | 'REPLACE'

const chunk = 8 << 20

/** One file on its way. */
export class Upload {
  state = $state<State>('waiting')
  sent = $state(0)
  reason = $state('')
  /** A small picture of it, until it is removed from the list. */
  readonly preview: string
  policy: Policy = 'ERROR'
  // The server finds the upload by it when it is announced again because the answer was lost.
  #key = newKey()
  #id: string | null = null
  #announced: Promise<TusUpload> | null = null
  #canceled = false
  #stop = new AbortController()

  constructor(
    readonly id: number,
    readonly file: File,
    readonly path: string,
  ) {
    this.preview = /^image\/(jpeg|png|webp|gif|avif)$/.test(file.type) && file.size < 30e6 ? URL.createObjectURL(file) : ''
  }

  /** Sends it, from where it stopped. Ends when it is there, has failed or was paused. */
  async run(): Promise<void> {
    const { signal } = (this.#stop = new AbortController())
    this.state = 'sending'
    this.reason = ''
    try {
      const tus = await this.#announcement(signal)
      signal.throwIfAborted()
      await send(tus, signal)
      await persist(() => this.#finish(), signal)
      this.state = 'done'
    } catch (error) {
      if (signal.aborted) return
      const conflict = error instanceof ApiError && error.code === 'CONFLICT' && error.field === 'path'
      if (conflict || isGone(error)) this.#forget()
      this.state = conflict ? 'conflict' : 'failed'
      this.reason = messageOf(error)
    }
  }

  // The server learns of it once, however often it is paused.
  async #announcement(signal: AbortSignal): Promise<TusUpload> {
    try {
      return await (this.#announced ??= this.#announce(signal))
    } catch (error) {
      const paused = error instanceof DOMException && error.name === 'AbortError'
      if (signal.aborted || !paused) throw error
      return this.#announcement(signal) // the pause was of the run before
    }
  }
  async #announce(signal: AbortSignal): Promise<TusUpload> {
    try {
      const [{ Upload: Tus }, url] = await Promise.all([import('tus-js-client'), persist(() => this.#create(), signal)])
      return new Tus(this.file, {
        uploadUrl: new URL(url, location.href).href,
        chunkSize: chunk,
        retryDelays: retries,
        storeFingerprintForResuming: false,
        onProgress: (sent) => (this.sent = sent),
      })
    } catch (error) {
      this.#announced = null
      throw error
    }
  }
  async #create(): Promise<string> {
    const input = { path: this.path, contentType: this.file.type.startsWith('image/') ? this.file.type : 'application/octet-stream', sizeBytes: this.file.size, onConflict: this.policy, clientKey: this.#key }
    const { createUpload } = await request(CreateUpload, { input })
    refuse(createUpload?.userErrors ?? [])
    const { id, url } = createUpload!.upload!
    if (this.#canceled) giveUp(id)
    else this.#id = id
    return url
  }
  async #finish(): Promise<void> {
    const { finishUpload } = await request(FinishUpload, { input: { id: this.#id! } })
    refuse(finishUpload?.userErrors ?? [])
  }

  // The next run announces it again, and sends it from its beginning.
  #forget(): void {
    if (this.#id) giveUp(this.#id)
    this.#id = null
    this.#key = newKey()
    this.#announced = null
    this.sent = 0
  }

  pause(): void {
    if (this.state !== 'waiting' && this.state !== 'sending') return
    this.state = 'paused'
    this.#stop.abort()
  }

  /** Gives it up; the server removes what has arrived. */
  cancel(): void {
    this.pause()
    this.#canceled = true // an announcement that is on its way is given up when its answer comes
    if (this.#id && this.state !== 'done') giveUp(this.#id)
    if (this.preview) URL.revokeObjectURL(this.preview)
  }
}

/** A random key; `crypto.randomUUID` needs a secure context. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

function giveUp(id: string): void {
  request(CancelUpload, { input: { id } }).catch(() => undefined) // else it expires
}

/** Whether the server has no such upload any longer. */
function isGone(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'NOT_FOUND' || error.code === 'EXPIRED'
  const status = (error as Partial<DetailedError>).originalResponse?.getStatus()
  return status === 404 || status === 410
}

function send(tus: TusUpload, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    tus.options.onSuccess = () => resolve()
    tus.options.onError = (error) => reject((error as Partial<DetailedError>).originalResponse ? error : new ApiError('OFFLINE', t('error.offline')))
    signal.addEventListener('abort', () => (void tus.abort(), reject(signal.reason)), { once: true })
    tus.start()
  })
}

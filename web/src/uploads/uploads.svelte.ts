import { SvelteMap } from 'svelte/reactivity'
import { folders, joinPath, parentOf } from '../gallery/folders.svelte'
import { session } from '../session/session.svelte'
import type { Picked } from './pick'
import { Upload, type Policy } from './upload.svelte'

export type { Upload }

/** How many are sent at the same time. */
const lanes = 3

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

  /** Starts uploading files that are still to come. Returns false, and uploads nothing, if the person has left by then, whatever came. */
  async addLater(folder: string, coming: Promise<Picked[]>): Promise<boolean> {
    const { turn } = session
    try {
      const picked = await coming
      if (turn !== session.turn) return false
      this.add(folder, picked)
      return true
    } catch (error) {
      if (turn !== session.turn) return false
      throw error
    }
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

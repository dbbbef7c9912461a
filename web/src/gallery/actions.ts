import { ApiError, refuse, request } from '../api/request'
import { t } from '../messages/index.svelte'
import { toasts } from '../ui/toasts.svelte'
import { CopyFiles, MoveFiles, RateFiles, RestoreFiles, TagFiles, TrashFiles } from './documents'
import { parentOf } from './folders.svelte'

/** The API takes so many paths in one call. */
const batch = 1000

type Result = { ok: boolean; error?: { code: string; message: string } | null }

function batches<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / batch) }, (_, i) => all.slice(i * batch, (i + 1) * batch))
}

/** Says what could not be done, when something could not. */
function tell(results: readonly Result[]): void {
  const failed = results.filter((result) => !result.ok)
  if (failed.length) toasts.show('error', t('gallery.someFailed', { n: failed.length, reason: failed[0]?.error?.message ?? '' }))
}

/** Shows an error as a toast. */
export function tellError(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  toasts.show('error', error instanceof ApiError ? error.message : t('error.unknown'))
}

/** Moves files and folders to the trash, with an undo. Returns the paths that are gone; `restored` is called after the undo. */
export async function trash(paths: readonly string[], restored: () => void): Promise<Set<string>> {
  const gone = new Set<string>()
  const ids: string[] = []
  for (const part of batches(paths)) {
    const { trashFiles } = await request(TrashFiles, { input: { paths: part } })
    refuse(trashFiles?.userErrors ?? [])
    for (const result of trashFiles?.results ?? []) {
      if (result.ok) gone.add(result.item)
      if (result.trashed) ids.push(result.trashed.id)
    }
    tell(trashFiles?.results ?? [])
  }
  const undo = async () => {
    try {
      for (const part of batches(ids)) {
        const { restoreFiles } = await request(RestoreFiles, { input: { ids: part, onConflict: 'RENAME' } })
        refuse(restoreFiles?.userErrors ?? [])
        tell(restoreFiles?.results ?? [])
      }
      restored()
    } catch (error) {
      tellError(error)
    }
  }
  if (gone.size) toasts.show('done', t('gallery.trashed', { n: gone.size }), ids.length ? { label: t('ui.undo'), run: undo } : undefined)
  return gone
}

/** Moves files and folders into a folder, with an undo. Returns the old paths of what moved. */
export async function move(paths: readonly string[], folder: string, undone: () => void): Promise<Set<string>> {
  const moved = await moveAll(paths, folder)
  const undo = async () => {
    try {
      const back = new Map<string, string[]>()
      for (const [from, to] of moved) back.set(parentOf(from), [...(back.get(parentOf(from)) ?? []), to])
      for (const [home, all] of back) await moveAll(all, home)
      undone()
    } catch (error) {
      tellError(error)
    }
  }
  if (moved.size) toasts.show('done', t('gallery.moved', { n: moved.size, folder: folder || t('nav.library') }), { label: t('ui.undo'), run: undo })
  return new Set(moved.keys())
}

async function moveAll(paths: readonly string[], folder: string): Promise<Map<string, string>> {
  const moved = new Map<string, string>()
  for (const part of batches(paths)) {
    const { moveFiles } = await request(MoveFiles, { input: { paths: part, folder, onConflict: 'ERROR' } })
    refuse(moveFiles?.userErrors ?? [])
    for (const result of moveFiles?.results ?? []) {
      const to = result.file?.path ?? result.folder?.path
      if (result.ok && to) moved.set(result.item, to)
    }
    tell(moveFiles?.results ?? [])
  }
  return moved
}

/** Copies files and folders into a folder; a name that is taken there gets a number. */
export async function copy(paths: readonly string[], folder: string): Promise<void> {
  let done = 0
  for (const part of batches(paths)) {
    const { copyFiles } = await request(CopyFiles, { input: { paths: part, folder, onConflict: 'RENAME' } })
    refuse(copyFiles?.userErrors ?? [])
    done += copyFiles?.results.filter((result) => result.ok).length ?? 0
    tell(copyFiles?.results ?? [])
  }
  if (done) toasts.show('done', t('gallery.copied', { n: done, folder: folder || t('nav.library') }))
}

/** Adds and removes tags. */
export async function tag(paths: readonly string[], add: string[], remove: string[]): Promise<void> {
  for (const part of batches(paths)) {
    const { tagFiles } = await request(TagFiles, { input: { paths: part, add, remove } })
    refuse(tagFiles?.userErrors ?? [])
    tell(tagFiles?.results ?? [])
  }
  toasts.show('done', t('gallery.tagged', { n: paths.length }))
}

/** Sets the rating, or whether they are favorites. */
export async function rate(paths: readonly string[], change: { rating?: number; favorite?: boolean }): Promise<void> {
  let done = 0
  for (const part of batches(paths)) {
    const { rateFiles } = await request(RateFiles, { input: { paths: part, ...change } })
    refuse(rateFiles?.userErrors ?? [])
    done += rateFiles?.results.filter((result) => result.ok).length ?? 0
    tell(rateFiles?.results ?? [])
  }
  if (done) toasts.show('done', t('rate.done', { n: done }))
}

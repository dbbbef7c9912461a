import { beforeEach, expect, test, vi } from 'vitest'

vi.mock('./upload.svelte', () => ({
  Upload: class {
    state = 'waiting'
    constructor(readonly id: number, readonly file: File, readonly path: string) {}
    run = async () => void (this.state = 'done')
    cancel() {}
  },
}))
vi.mock('../gallery/folders.svelte', async (original) => ({ ...(await original<object>()), folders: { reload: async () => undefined } }))

beforeEach(() => {
  vi.resetModules()
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined })
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('fetch', async () => ({ ok: true, status: 200, json: async () => ({}), headers: new Headers() }))
})

const files = [{ file: new File(['a'], 'a.png'), path: 'a.png' }]

test('files that are still to come are uploaded when they are here', async () => {
  const { uploads } = await import('./uploads.svelte')
  expect(await uploads.addLater('trip', Promise.resolve(files))).toBe(true)
  expect(uploads.list.map(({ path }) => path)).toEqual(['trip/a.png'])
})

test('files that come after the logout are not uploaded', async () => {
  const [{ uploads }, { session }] = await Promise.all([import('./uploads.svelte'), import('../session/session.svelte')])
  let come = (_: typeof files) => {}
  const added = uploads.addLater('trip', new Promise<typeof files>((resolve) => (come = resolve)))
  await session.logout()
  come(files)
  expect([await added, uploads.list]).toEqual([false, []])
})

test('what fails after the logout is not told to whoever is there now', async () => {
  const [{ uploads }, { session }] = await Promise.all([import('./uploads.svelte'), import('../session/session.svelte')])
  let fail = (_: Error) => {}
  const added = uploads.addLater('trip', new Promise<typeof files>((_, reject) => (fail = reject)))
  await session.logout()
  fail(new Error('of the person before'))
  expect(await added).toBe(false)
})

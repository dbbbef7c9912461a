import { beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../api/request'
import { CancelUpload, CreateUpload } from './documents'
import { Upload } from './upload.svelte'

// A server that knows some uploads; what it is asked, in order.
let known: Set<string>
let asked: string[]
let next: number
let refusal: ApiError | null
let hold: Promise<void> | null
let keys: Map<string, string>
let lost: boolean // the answer to an announcement
let cut: boolean // the connection, while bytes are sent

vi.mock('./persist', () => ({ retries: [], persist: (ask: () => unknown) => ask() }))
vi.mock('tus-js-client', () => ({
  Upload: class {
    constructor(_: File, readonly options: { uploadUrl: string; onProgress?: (sent: number) => void; onSuccess?: () => void; onError?: (error: unknown) => void }) {}
    start() {
      const id = this.options.uploadUrl.split('/').pop()!
      asked.push(`send ${id}`)
      if (cut) return this.options.onError?.(new Error('tus: failed to upload chunk at offset 0, caused by [object ProgressEvent]'))
      if (!known.has(id)) return this.options.onError?.(Object.assign(new Error('tus: unable to resume'), { originalResponse: { getStatus: () => 404 } }))
      this.options.onProgress?.(3)
      this.options.onSuccess?.()
    }
    abort() {}
  },
}))
vi.mock('../api/request', async () => {
  class ApiError extends Error {
    constructor(readonly code: string, message: string, readonly field?: string) {
      super(message)
    }
  }
  const request = async (document: unknown, { input }: { input: { id: string; clientKey: string } }) => {
    if (document === CreateUpload) {
      await hold
      const id = keys.get(input.clientKey) ?? `u${next++}`
      keys.set(input.clientKey, id)
      known.add(id)
      if (lost) throw new ApiError('OFFLINE', 'no answer')
      asked.push(`create ${id}`)
      return { createUpload: { upload: { id, url: `/tus/${id}` }, userErrors: [] } }
    }
    asked.push(`${document === CancelUpload ? 'cancel' : 'finish'} ${input.id}`)
    if (document === CancelUpload) known.delete(input.id)
    else if (refusal) throw refusal
    else if (!known.has(input.id)) throw new ApiError('NOT_FOUND', 'expired', 'id')
    return {}
  }
  return { ApiError, request, refuse: () => undefined, messageOf: (error: Error) => error.message }
})

beforeEach(() => {
  ;[known, asked, next, refusal, hold, keys, lost, cut] = [new Set(), [], 1, null, null, new Map(), false, false]
  vi.stubGlobal('location', { href: 'http://h/' })
})

const upload = () => new Upload(1, new File(['abc'], 'a.txt'), 'a.txt')

test('a connection that stays cut is reported in words of the application', async () => {
  cut = true
  const one = upload()
  await one.run()
  expect([one.state, one.reason]).toEqual(['failed', 'error.offline'])
})

test('what expired while it was sent is sent again as a new upload', async () => {
  const one = upload()
  refusal = new ApiError('UNAVAILABLE', 'full')
  await one.run()
  expect([one.state, one.sent]).toEqual(['failed', 3])
  known.clear()
  refusal = null
  await one.run()
  expect([one.state, one.sent]).toEqual(['failed', 0])
  await one.run()
  expect(one.state).toBe('done')
  expect(asked.filter((what) => !what.startsWith('cancel'))).toEqual(['create u1', 'send u1', 'finish u1', 'send u1', 'create u2', 'send u2', 'finish u2'])
})

test.each(['NOT_FOUND', 'EXPIRED'])('so is what is %s when it is finished', async (code) => {
  const one = upload()
  refusal = new ApiError(code, 'expired', 'id')
  await one.run()
  refusal = null
  await one.run()
  expect([one.state, ...asked.filter((what) => what.startsWith('create'))]).toEqual(['done', 'create u1', 'create u2'])
})

test('a path of which a change is under way is no taken name: only the end is asked for again', async () => {
  const one = upload()
  refusal = new ApiError('CONFLICT', 'a change is under way')
  await one.run()
  expect(one.state).toBe('failed')
  refusal = null
  await one.run()
  expect(one.state).toBe('done')
  expect(asked.filter((what) => what.startsWith('create'))).toEqual(['create u1'])
})

test('a taken name is, and what was sent is given up', async () => {
  const one = upload()
  refusal = new ApiError('CONFLICT', 'taken', 'path')
  await one.run()
  expect([one.state, one.sent]).toEqual(['conflict', 0])
  expect(asked).toEqual(['create u1', 'send u1', 'finish u1', 'cancel u1'])
})

test('what is canceled while it is announced is canceled on the server', async () => {
  const one = upload()
  let answer = () => {}
  hold = new Promise((resolve) => (answer = resolve))
  const run = one.run()
  one.cancel()
  answer()
  await run
  expect(asked).toEqual(['create u1', 'cancel u1'])
  expect([...known]).toEqual([])
})

test('an announcement whose answer is lost is made again with its key, and another file has another', async () => {
  const one = upload()
  lost = true
  await one.run()
  expect(one.state).toBe('failed')
  lost = false
  await one.run()
  await upload().run()
  expect(asked.filter((what) => what.startsWith('finish'))).toEqual(['finish u1', 'finish u2'])
  expect([...known]).toEqual(['u1', 'u2'])
})

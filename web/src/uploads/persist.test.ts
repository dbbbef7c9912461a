import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const noWait = () => Promise.resolve()
beforeEach(() => {
  vi.stubGlobal('localStorage', { getItem: () => null })
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('navigator', { onLine: true })
})
afterEach(() => vi.unstubAllGlobals())

async function asked(errors: unknown[], signal = new AbortController().signal, wait: (ms: number) => Promise<void> = noWait) {
  const { persist } = await import('./persist')
  let times = 0
  const end = await persist(() => {
    const error = errors[times++]
    return error ? Promise.reject(error) : Promise.resolve('done')
  }, signal, wait).catch((error: Error) => error.message)
  return { times, end }
}

test('what has no answer is asked again', async () => {
  const { ApiError } = await import('../api/request')
  const broken = new ApiError('OFFLINE', 'no answer')
  const busy = new ApiError('CONFLICT', 'another request finishes it')
  const later = new ApiError('UNAVAILABLE', 'full', null, 2)
  expect(await asked([broken, busy, later])).toEqual({ times: 4, end: 'done' })
  expect(await asked(Array<unknown>(20).fill(broken))).toEqual({ times: 7, end: 'no answer' })
})

test('what is refused is not', async () => {
  const { ApiError } = await import('../api/request')
  expect(await asked([new ApiError('CONFLICT', 'taken', 'path')])).toEqual({ times: 1, end: 'taken' })
  expect(await asked([new ApiError('UNSUPPORTED_TYPE', 'no picture')])).toEqual({ times: 1, end: 'no picture' })
  vi.stubGlobal('navigator', { onLine: false })
  expect(await asked([new ApiError('OFFLINE', 'no answer')])).toEqual({ times: 1, end: 'no answer' })
})

test.each([
  ['earlier than planned', 0.2, 500],
  ['later', 2, 2000],
  ['much later', 3600, 60_000],
])('it waits as long as the server asks for: %s', async (_, seconds, ms) => {
  const { ApiError } = await import('../api/request')
  const waits: number[] = []
  await asked([new ApiError('UNAVAILABLE', 'full', null, seconds)], undefined, async (wait) => void waits.push(wait))
  expect(waits).toEqual([ms])
})

test('a pause ends it', async () => {
  const { ApiError } = await import('../api/request')
  const stop = new AbortController()
  const paused = () => {
    stop.abort(new Error('paused'))
    return Promise.reject(stop.signal.reason)
  }
  expect(await asked([new ApiError('OFFLINE', 'no answer')], stop.signal, paused)).toEqual({ times: 1, end: 'paused' })
})

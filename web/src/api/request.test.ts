import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllGlobals())

test('a request that is stopped while its answer arrives is stopped, and answers nothing', async () => {
  vi.stubGlobal('localStorage', { getItem: () => null })
  vi.stubGlobal('addEventListener', () => undefined)
  const { request } = await import('./request')
  const stop = new AbortController()
  const json = () => {
    stop.abort()
    return Promise.reject(new DOMException('stopped', 'AbortError'))
  }
  vi.stubGlobal('fetch', () => Promise.resolve({ ok: true, status: 200, json }))
  await expect(request('query { me { id } }' as never, {}, { signal: stop.signal })).rejects.toThrow('stopped')
})

test('an answer that breaks off is no answer', async () => {
  vi.stubGlobal('localStorage', { getItem: () => null })
  vi.stubGlobal('addEventListener', () => undefined)
  const { request } = await import('./request')
  vi.stubGlobal('fetch', () => Promise.resolve({ ok: true, status: 200, json: () => Promise.reject(new SyntaxError('unexpected end')) }))
  await expect(request('query { me { id } }' as never, {})).rejects.toMatchObject({ code: 'OFFLINE' })
})

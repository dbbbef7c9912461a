// A resumable upload: a tus client needs the endpoint and a token, nothing else.
import assert from 'node:assert/strict'
import { Upload } from 'tus-js-client'
import type { Safelight } from './safelight.js'

/** Uploads in chunks of that size; the last one publishes the file. Breaks off after the first chunk, as a connection may, and goes on from there. */
export async function uploadResumably(safelight: Safelight, path: string, content: Buffer, chunkSize: number): Promise<void> {
  const options = {
    endpoint: `${safelight.address}/api/uploads/`,
    headers: { Authorization: `Bearer ${safelight.token}` },
    metadata: { path, onConflict: 'ERROR' },
    chunkSize,
    retryDelays: null,
  }
  const begun = await new Promise<string>((resolve, reject) => {
    const first = new Upload(content, {
      ...options,
      onError: reject,
      onChunkComplete: () => void first.abort().then(() => resolve(first.url ?? ''), reject),
    })
    first.start()
  })
  const offsets: number[] = []
  await new Promise<void>((resolve, reject) => {
    new Upload(content, {
      ...options,
      uploadUrl: begun,
      onError: reject,
      onChunkComplete: (_size, accepted) => offsets.push(accepted),
      onSuccess: () => resolve(),
    }).start()
  })
  assert.equal(offsets.at(-1), content.length)
  assert((offsets[0] ?? 0) > chunkSize, 'the first chunk was not sent again')
}

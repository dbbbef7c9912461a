/** A small picture: RGBA, 8 bits per channel, not premultiplied, row by row. */
export interface Pixels {
  width: number
  height: number
  rgba: Uint8ClampedArray
}

const bytesOf = (hash: string | Uint8Array) => (typeof hash === 'string' ? Uint8Array.from(atob(hash), (c) => c.charCodeAt(0)) : hash)

/** Reports whether the picture of a ThumbHash has transparency; false if there is no ThumbHash. */
export function thumbHashHasAlpha(hash: string | Uint8Array | null | undefined): boolean {
  return !!hash && bytesOf(hash)[2]! > 127
}

// Computed once for each number of pixels, because lists decode thousands of pictures of the same size.
const known: Record<number, number[][]> = {}
const cosines = (n: number) => (known[n] ??= Array.from({ length: n }, (_, i) => Array.from({ length: 7 }, (_, k) => Math.cos((Math.PI / n) * (i + 0.5) * k))))

/**
 * Decodes a ThumbHash, base64 or bytes, to a picture whose longer side has `side` pixels. Throws a
 * RangeError if the hash is too short.
 */
export function thumbHashToRGBA(hash: string | Uint8Array, side = 32): Pixels {
  const h = bytesOf(hash)
  // reads the fields of the header, from the lowest bit
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

  // Each channel is a constant plus cosine waves; nx and ny are their number along each side, and their
  // amplitudes are nibbles.
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

const crcs = /* @__PURE__ */ Int32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = (n >>> 1) ^ (n & 1 ? 0xedb88320 : 0)
  return n
})
const word = (n: number) => String.fromCharCode((n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255)

// Bytes are kept as strings with one character each, as btoa expects them.
function chunk(name: string, data: string): string {
  const bytes = name + data
  let crc = -1
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ crcs[(crc ^ bytes.charCodeAt(i)) & 255]!
  return word(data.length) + bytes + word(~crc)
}

/**
 * Returns a ThumbHash as a PNG in a data URL, in browsers and on servers. Returns undefined if
 * there is no hash, as for a file that is not analyzed yet. `side`, up to 100, is that of
 * `thumbHashToRGBA`; 16 gives about 1 kB.
 */
export function thumbHashToDataURL(hash: string | Uint8Array, side?: number): string
export function thumbHashToDataURL(hash: string | Uint8Array | null | undefined, side?: number): string | undefined
export function thumbHashToDataURL(hash: string | Uint8Array | null | undefined, side = 16): string | undefined {
  if (!hash?.length) return undefined
  const { width, height, rgba } = thumbHashToRGBA(hash, side)
  let rows = ''
  for (let y = 0; y < height; y++) rows += '\0' + String.fromCharCode(...rgba.subarray(y * width * 4, (y + 1) * width * 4))
  // uncompressed zlib: one stored block and an Adler-32, whose sums stay below 2^53
  let [a, b] = [1, 0]
  const n = rows.length
  for (let i = 0; i < n; i++) b += a += rows.charCodeAt(i)
  const stored = String.fromCharCode(120, 1, 1, n & 255, n >> 8, ~n & 255, (~n >> 8) & 255) + rows + word((b % 65521) * 65536 + (a % 65521))
  const header = word(width) + word(height) + '\x08\x06\0\0\0'
  return 'data:image/png;base64,' + btoa('\x89PNG\r\n\x1a\n' + chunk('IHDR', header) + chunk('IDAT', stored) + chunk('IEND', ''))
}

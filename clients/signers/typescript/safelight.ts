// Signs URLs of a Safelight image server, in Node.js. Copy the file: it needs node:crypto only. Never bundle it for a
// browser, which would get the secret; `@safelight/client` is for browsers.
import { createCipheriv, createHmac } from 'node:crypto'

export type Algorithm = 'SHA1' | 'SHA256' | 'SHA512'

/** Returns the signature of a path: operations and image, as the URL has them. `truncate` is how many characters are kept, 0 all. */
export function sign(path: string, secret: string, algorithm: Algorithm = 'SHA1', truncate = 0): string {
  const signature = createHmac(algorithm.toLowerCase(), secret).update(path).digest('base64').replaceAll('+', '-').replaceAll('/', '_')
  return truncate ? signature.slice(0, truncate) : signature
}

/** Returns the signed URL of a path, without the server. */
export function signedUrl(path: string, secret: string, algorithm: Algorithm = 'SHA1', truncate = 0): string {
  return `/${sign(path, secret, algorithm, truncate)}/${path}`
}

/**
 * Signs what a policy leaves open, such as `320w,640w,webp`, and returns the template for browsers. The secret is the processor's, or
 * that of the key that the policy names.
 */
export function family(policy: string, path: string, secret: string, algorithm: Algorithm = 'SHA1', truncate = 0): string {
  const signature = sign(`family(${policy})/${path}`, secret, algorithm, truncate)
  return `/${signature}/family(${policy})/{choice}/${path}`
}

/** One value of each dimension of a family. */
export interface Choice {
  width?: number
  density?: number
  format?: string
  quality?: string
}

/** Returns one URL of a template. */
export function familyUrl(template: string, { width, density, format, quality }: Choice = {}): string {
  const tokens = [width && `${width}w`, density && `${density}x`, format, quality].filter(Boolean)
  return template.replace('{choice}', () => tokens.join(',') || '-')
}

/**
 * Returns an image that only the server can read. The same path gives the same image. The key has 64 bytes: 32 for AES-256-CTR,
 * 32 for HMAC-SHA256.
 */
export function encryptPath(path: string, keyId: string, key: Uint8Array): string {
  if (key.length !== 64) throw new RangeError(`the key has ${key.length} bytes, expected 64`)
  const iv = createHmac('sha256', key.subarray(32)).update(path).digest().subarray(0, 16)
  const cipher = createCipheriv('aes-256-ctr', key.subarray(0, 32), iv)
  return `enc:${keyId}:${Buffer.concat([iv, cipher.update(path, 'utf8'), cipher.final()]).toString('base64url')}`
}

const grammar =
  /^(|params|unsafe|debug|meta|stretch|left|center|right|top|middle|bottom|smart|trim(:top-left|:bottom-right)?(:\d+)?|(adaptive-)?(full-)?fit-in|(filters:|preset\().*|[\w=-]{17,}|-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)x-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)|[\d.]*x[\d.]*(:[\d.]*x[\d.]*)?)$/

/** Returns an image's path as a URL has it: percent-encoded, and never taken for an operation. */
export function encodeImage(image: string): string {
  const slash = image.indexOf('/')
  const encoded = encodeURIComponent(image)
    .replace(/%(2F|3A|40|24|26|2C|3B|3D)/g, decodeURIComponent)
    .replace(/^(b64|enc|filters):/, '$1%3A')
    .replace(/^family\(/, 'family%28')
  return slash >= 0 && grammar.test(image.slice(0, slash)) ? encoded.replace('/', '%2F') : encoded
}

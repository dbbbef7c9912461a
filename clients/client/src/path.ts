import type { Layer, Operations } from './arguments.js'

const side = '-?(\\d*|orig|f(ull)?(-?\\d+)?|[\\d.]+p)'
const pair = '[\\d.]*x[\\d.]*'

// A first folder of this form would be parsed as an operation.
const grammar = new RegExp(
  `^(|params|unsafe|debug|meta|stretch|left|center|right|top|middle|bottom|smart|trim(:top-left|:bottom-right)?(:\\d+)?|(adaptive-)?(full-)?fit-in|(filters:|preset\\().*|[\\w=-]{17,}|${side}x${side}|${pair}(:${pair})?)$`,
)

const hex = (c: string) => '%' + c.charCodeAt(0).toString(16).toUpperCase()

/** Returns the image as written in a URL: percent-encoded, and never parsed as an operation. */
export function encodeImage(image: string): string {
  const slash = image.indexOf('/')
  const first = image.slice(0, slash)
  const escaped = encodeURIComponent(image)
    .replace(/%(2F|3A|40|24|26|2C|3B|3D)/g, decodeURIComponent)
    .replace(/^(b64|enc|filters):/, '$1%3A')
    .replace(/^family\(/, 'family%28')
  return slash >= 0 && grammar.test(first) ? escaped.replace('/', '%2F') : escaped
}

/** Returns a text as an argument of a filter: encoded so that no part of it is parsed as syntax. */
export const encodeText = (text: string): string => encodeURIComponent(text).replace(/[!'()*]/g, hex)

/** Returns the image of a layer as an argument of a filter. */
export const encodeLayerImage = (image: string): string => encodeImage(image).replace(/[(),]/g, hex)

const decimal = (n: number) => n.toFixed(9).replace(/\.?0+$/, '')

const box = (b: readonly number[]) => {
  const [from, to] = [b.slice(0, 2), b.slice(2)].map((p) => p.map(decimal).join('x'))
  return to && to !== from ? from + ':' + to : from
}

function argument(a: unknown, name: string, index: number): string {
  if (a == null) return ''
  if (typeof a === 'number') return decimal(a)
  if (name === 'focal') return String(a).replace(/[^\d.x:,]/g, '')
  if (typeof a === 'object' || (index === 0 && (name === 'image' || name === 'watermark'))) {
    const { image, ...operations } = typeof a === 'object' ? (a as Layer) : { image: String(a) }
    return write(operations) + encodeLayerImage(image)
  }
  return encodeText(String(a))
}

function write(o: Operations<string | number>): string {
  const trim = o.trim === true ? {} : o.trim
  const preset = typeof o.preset === 'string' ? [o.preset] : o.preset
  const segments = [
    preset && `preset(${preset.map((a) => argument(a, '', 1)).join().replace('%40', '@')})`,
    trim && 'trim' + (trim.corner === 'bottom-right' ? ':bottom-right' : '') + (trim.tolerance ? ':' + trim.tolerance : ''),
    // the crop needs both pairs, even if they are equal
    o.crop && box(o.crop.slice(0, 2)) + ':' + box(o.crop.slice(2)),
    o.fit,
    o.stretch && 'stretch',
    (o.width || o.height || o.flipX || o.flipY || o.padding) && `${o.flipX ? '-' : ''}${o.width || 0}x${o.flipY ? '-' : ''}${o.height || 0}`,
    o.padding && box(o.padding),
    o.hAlign,
    o.vAlign,
    o.smart && 'smart',
    o.filters?.length && 'filters:' + o.filters.map(([name, ...args]) => `${name}(${args.map((a, i) => argument(a, name, i)).join()})`).join(':'),
  ]
  return segments.map((s) => (s ? s + '/' : '')).join('')
}

/**
 * Returns the part of a URL that a signature signs: the operations and the image, percent-encoded,
 * without a leading slash. Sign it on a server; never in a browser, which would need the secret.
 */
export function path(image: string, operations: Operations = {}): string {
  return write(operations) + encodeImage(image)
}

/** Returns the URL of a signed path, or of an unsigned one if the server allows those. */
export function url(server: string, path: string, signature = 'unsafe'): string {
  return `${server.replace(/\/+$/, '')}/${signature}/${path}`
}

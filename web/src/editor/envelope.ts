import { argsOf, nameOfFilter, numberOf, turned } from './filters'
import { decodePath, layersOf, parseFont, decodeText, type Layer } from './layers'
import type { Operations } from './operations'
import { parse } from './parse'
import { cropBox, oriented, type Size } from './size'

type Json = Record<string, unknown>

/** A template of a document, and the names of what a template cannot hold. */
export function toEnvelope(o: Operations, image: string, source: Size, mode: 'adaptive' | 'predefined'): { json: string; lost: string[] } {
  const lost: string[] = []
  const transformations = transforms(o, source, lost)
  const layers = layersOf(o).reverse().flatMap((layer, i) => layerJson(layer, i, lost) ?? [])
  if (layers.length) transformations.layers = layers
  const envelope = {
    version: '1.0', dimensionMode: mode, predefinedDimensions: source, sourceImagePath: image,
    transformations: { imagePath: image, originalDimensions: source, ...transformations },
  }
  return { json: JSON.stringify(envelope, null, 2), lost: [...new Set(lost)] }
}

const plain = ['brightness', 'contrast', 'saturation', 'hue', 'blur', 'sharpen', 'quality', 'proportion'] as const
const held = new Set<string>([...plain, 'grayscale', 'round_corner', 'fill', 'rotate', 'format', 'max_bytes', 'strip_icc', 'strip_exif', 'image', 'text', 'label', 'watermark'])

function transforms(o: Operations, source: Size, lost: string[]): Json {
  const json: Json = {}
  const set = (key: string, value: unknown) => value !== 0 && value !== '' && value !== false && value !== undefined && (json[key] = value)
  for (const key of ['width', 'height', 'stretch', 'smart', 'hAlign', 'vAlign', 'hFlip', 'vFlip'] as const) set(key, o[key])
  set('fitIn', o.fit !== '')
  if (o.fit && o.fit !== 'fit-in') lost.push(o.fit)
  if (o.trim) lost.push('trim')
  if (o.crop) {
    const box = cropBox(o.crop, oriented(o, source))
    Object.assign(json, { cropLeft: box.left, cropTop: box.top, cropWidth: box.right - box.left, cropHeight: box.bottom - box.top })
  }
  for (const key of ['Left', 'Top', 'Right', 'Bottom'] as const) set(`padding${key}`, o.padding[key.toLowerCase() as 'left'])
  for (const name of plain) set(name, numberOf(o, name))
  set('grayscale', argsOf(o, 'grayscale') !== null)
  set('roundCornerRadius', numberOf(o, 'round_corner'))
  set('fillColor', argsOf(o, 'fill')?.[0])
  set('rotation', turned(o))
  set('format', argsOf(o, 'format')?.[0])
  set('maxBytes', numberOf(o, 'max_bytes'))
  set('stripIcc', argsOf(o, 'strip_icc') !== null)
  set('stripExif', argsOf(o, 'strip_exif') !== null)
  for (const filter of o.filters) if (!filter.hidden && !held.has(nameOfFilter(filter.name))) lost.push(filter.name)
  return json
}

const place = (text: string): number | string => (/^-?\d+$/.test(text) ? Number(text) : text)

function layerJson({ kind, title, hidden, args }: Layer, i: number, lost: string[]): Json | null {
  const layer: Json = { id: `layer-${i + 1}`, name: title.slice(0, 100), visible: !hidden, x: place(args.x!), y: place(args.y!), alpha: Number(args.alpha), blendMode: args.blend ?? 'normal' }
  if (kind === 'text') {
    const font = parseFont(args.font!)
    return { ...layer, type: 'text', text: decodeText(args.text!), font: font.family, fontStyle: font.style.replace('-', ' '), fontSize: font.size, color: args.color, width: place(args.width!), align: args.align, wrap: args.wrap, spacing: Number(args.spacing) }
  }
  const inner = kind === 'image' || kind === 'color' ? parse(args.path!) : null
  if (!inner) {
    lost.push(kind)
    return null
  }
  const size = { width: inner.operations.width, height: inner.operations.height }
  if (kind === 'color') return { ...layer, type: 'color', color: inner.image.slice(6), transforms: size }
  return { ...layer, type: 'image', imagePath: decodePath(inner.image), transforms: transforms(inner.operations, { width: 0, height: 0 }, lost) }
}

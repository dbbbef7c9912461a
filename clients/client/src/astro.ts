import { parseFamily } from './family.js'
import { nearestUrl } from './nearest.js'

/** The properties of Astro's `<Image>` that the service reads. */
export interface Transform {
  src: string | { src: string }
  width?: number | undefined
  height?: number | undefined
  widths?: number[] | undefined
  densities?: (number | `${number}x`)[] | undefined
  quality?: number | string | undefined
  format?: string | undefined
  [attribute: string]: unknown
}

const sourceOf = ({ src }: Transform) => (typeof src === 'string' ? src : src.src)

/**
 * An image service for Astro: `src` is a template of a family and needs `width` and `height`. With
 * `sizes` the srcset has all widths of the family, unless `widths` are given; without it, all
 * densities.
 */
const service = {
  validateOptions(options: Transform): Transform {
    if (parseFamily(sourceOf(options)) && !(options.width && options.height)) throw new Error(`the image ${sourceOf(options)} needs width and height, so that the page does not shift`)
    return options
  },
  getURL: (options: Transform): string => nearestUrl(sourceOf(options), options),
  getSrcSet(options: Transform) {
    const f = parseFamily(sourceOf(options))
    const entry = (width: number, descriptor: string) => ({ transform: { ...options, width }, descriptor, attributes: {} })
    if (!f?.widths.length || !options.width) return []
    if (options.sizes) return (options.widths ?? f.widths).map((w) => entry(w, `${w}w`))
    return (options.densities ?? [1, 2]).map((d) => entry(Math.round(options.width! * parseFloat(String(d))), `${parseFloat(String(d))}x`))
  },
  getHTMLAttributes(options: Transform): Record<string, unknown> {
    const { src: _, widths: __, densities: ___, quality: ____, format: _____, inferSize: ______, ...attributes } = options
    return { loading: 'lazy', decoding: 'async', ...attributes }
  },
}

export default service

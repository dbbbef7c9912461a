import { attributes, parseFamily, type Choice, type Source } from './family.js'
import { thumbHashHasAlpha, thumbHashToDataURL } from './thumbhash.js'

/**
 * A picture on a page. `width` and `height` are its maximum size in CSS pixels and reserve its
 * space until it loads.
 */
export interface ImageProps extends Pick<Choice, 'format' | 'quality'> {
  /** A family or its template. Any other URL is used unchanged; null shows the placeholder alone. */
  family: Source | null | undefined
  alt: string
  width: number
  height: number
  /**
   * The attribute `sizes`: its displayed width; by default `width`, or the width of the window if
   * that is less.
   */
  sizes?: string | undefined
  /** A placeholder until the picture loads. It is not used if the picture has transparency. */
  thumbHash?: string | null | undefined
  loading?: 'eager' | 'lazy' | undefined
}

/**
 * Returns the attributes of an `<img>`, with CSS properties in `style`. Invalid data from elsewhere
 * never makes it throw.
 */
export function imageAttributes({ family, alt, width, height, sizes, thumbHash, loading, format, quality }: ImageProps) {
  return {
    ...addresses(family, { format, quality }, sizes ?? `(min-width: ${width}px) ${width}px, 100vw`),
    alt,
    width,
    height,
    loading: loading ?? 'lazy',
    decoding: 'async' as const,
    style: { 'max-width': '100%', height: 'auto', ...placeholder(thumbHash) },
  }
}

/**
 * `src`, `srcset` and `sizes`, as far as the URL has them. A format or quality that the family
 * lacks is ignored.
 */
function addresses(address: Source | null | undefined, { format, quality }: Choice, sizes: string): { src?: string; srcset?: string; sizes?: string } {
  const family = typeof address === 'string' ? parseFamily(address) : address
  if (!family) return typeof address === 'string' && address ? { src: address } : {}
  const known = (value: string | undefined, of: readonly string[]) => (value && of.includes(value) ? value : undefined)
  return { ...attributes(family, { format: known(format, family.formats), quality: known(quality, family.qualities) }), sizes }
}

/** The CSS of a placeholder; empty for a picture with transparency or an invalid ThumbHash. */
function placeholder(thumbHash: string | null | undefined): Record<string, string> {
  try {
    if (!thumbHash || thumbHashHasAlpha(thumbHash)) return {}
    return { 'background-image': `url("${thumbHashToDataURL(thumbHash)}")`, 'background-size': '100% 100%' }
  } catch {
    return {}
  }
}

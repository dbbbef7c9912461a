import { attributes, parseFamily, type Choice, type Source } from './family.js'
import { thumbHashHasAlpha, thumbHashToDataURL } from './thumbhash.js'

/** A picture on a page. `width` and `height` are its largest size in CSS pixels and keep its place until it is there. */
export interface ImageProps extends Pick<Choice, 'format' | 'quality'> {
  /** A family or its template. Any other address is used as it is; null shows the placeholder alone. */
  family: Source | null | undefined
  alt: string
  width: number
  height: number
  /** How wide it is shown; by default `width`, or the window if that is less. */
  sizes?: string | undefined
  /** Shown until the picture is there, unless the picture has transparency. */
  thumbHash?: string | null | undefined
  loading?: 'eager' | 'lazy' | undefined
}

/** Returns the attributes of an `<img>`, with CSS properties in `style`. What a page gets from elsewhere never makes it throw. */
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

/** `src`, `srcset` and `sizes`, as far as the address has them. A format or quality that the family lacks is not chosen. */
function addresses(address: Source | null | undefined, { format, quality }: Choice, sizes: string): { src?: string; srcset?: string; sizes?: string } {
  const family = typeof address === 'string' ? parseFamily(address) : address
  if (!family) return typeof address === 'string' && address ? { src: address } : {}
  const known = (value: string | undefined, of: readonly string[]) => (value && of.includes(value) ? value : undefined)
  return { ...attributes(family, { format: known(format, family.formats), quality: known(quality, family.qualities) }), sizes }
}

/** The CSS of a placeholder, none for a picture with transparency or a ThumbHash that cannot be read. */
function placeholder(thumbHash: string | null | undefined): Record<string, string> {
  try {
    if (!thumbHash || thumbHashHasAlpha(thumbHash)) return {}
    return { 'background-image': `url("${thumbHashToDataURL(thumbHash)}")`, 'background-size': '100% 100%' }
  } catch {
    return {}
  }
}

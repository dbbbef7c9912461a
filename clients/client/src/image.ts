import { attributes, type Choice, type Source } from './family.js'
import { thumbHashHasAlpha, thumbHashToDataURL } from './thumbhash.js'

/** A picture on a page. `width` and `height` are its largest size in CSS pixels and keep its place until it is there. */
export interface ImageProps extends Pick<Choice, 'format' | 'quality'> {
  family: Source
  alt: string
  width: number
  height: number
  /** How wide it is shown; by default `width`, or the window if that is less. */
  sizes?: string | undefined
  /** Shown until the picture is there, unless the picture has transparency. */
  thumbHash?: string | null | undefined
  loading?: 'eager' | 'lazy' | undefined
}

/** Returns the attributes of an `<img>`, with CSS properties in `style`. */
export function imageAttributes({ family, alt, width, height, sizes, thumbHash, loading, format, quality }: ImageProps) {
  const placeholder: Record<string, string> =
    thumbHash && !thumbHashHasAlpha(thumbHash) ? { 'background-image': `url("${thumbHashToDataURL(thumbHash)}")`, 'background-size': '100% 100%' } : {}
  return {
    ...attributes(family, { format, quality }),
    sizes: sizes ?? `(min-width: ${width}px) ${width}px, 100vw`,
    alt,
    width,
    height,
    loading: loading ?? 'lazy',
    decoding: 'async' as const,
    style: { 'max-width': '100%', height: 'auto', ...placeholder },
  }
}

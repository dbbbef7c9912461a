import { familyUrl, parseFamily, type Source } from './family.js'
import { nearestUrl, type Wanted } from './nearest.js'

/**
 * A transformer for the `Image` of `@unpic/react/base` and its siblings: `src` is a template of a
 * family. It uses the family's nearest width.
 */
export const transform = (src: string | URL, operations: Wanted = {}): string => nearestUrl(String(src), operations)

/**
 * Returns the properties `src`, `transformer` and `breakpoints` of Unpic's `Image` and `Source`: a
 * srcset of the family's widths, or none for a URL that is not a template. Unpic sorts breakpoints
 * in place, so each picture gets an array of its own.
 */
export function image(family: Source): { src: string; transformer: typeof transform; breakpoints: number[] } {
  const f = typeof family === 'string' ? parseFamily(family) : family
  return { src: f ? familyUrl(f) : String(family), transformer: transform, breakpoints: f ? [...f.widths] : [] }
}

import { familyOf, familyUrl, type Source } from './family.js'
import { nearestUrl, type Wanted } from './nearest.js'

/** A transformer for the `Image` of `@unpic/react/base` and its siblings: `src` is a template of a family. The width is the family's nearest. */
export const transform = (src: string | URL, operations: Wanted = {}): string => nearestUrl(String(src), operations)

/**
 * Returns the properties `src`, `transformer` and `breakpoints` of Unpic's `Image` and `Source`: a srcset of the family's widths. Unpic
 * sorts breakpoints in place, so each picture gets an array of its own.
 */
export function image(family: Source): { src: string; transformer: typeof transform; breakpoints: number[] } {
  const f = familyOf(family)
  return { src: familyUrl(f), transformer: transform, breakpoints: [...f.widths] }
}

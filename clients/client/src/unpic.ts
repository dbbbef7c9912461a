import { nearestUrl, type Wanted } from './nearest.js'

/** A transformer for the `Image` of `@unpic/react/base` and its siblings: `src` is a template of a family. The width is the family's nearest. */
export const transform = (src: string | URL, operations: Wanted = {}): string => nearestUrl(String(src), operations)

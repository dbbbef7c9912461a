import { nearestUrl } from './nearest.js'

/** What `next/image` asks a loader for. */
export interface LoaderProps {
  src: string
  width: number
  quality?: number | undefined
}

/**
 * A loader for `next/image`: `src` is a template of a family. The width is the family's nearest, so `deviceSizes` and `imageSizes`
 * of next.config should be its widths.
 */
export default function loader({ src, width, quality }: LoaderProps): string {
  return nearestUrl(src, { width, quality })
}

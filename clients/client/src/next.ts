import { nearestUrl } from './nearest.js'

/** The arguments that `next/image` passes to a loader. */
export interface LoaderProps {
  src: string
  width: number
  quality?: number | undefined
}

/**
 * A loader for `next/image`: `src` is a template of a family. It uses the family's nearest width,
 * so set `deviceSizes` and `imageSizes` in next.config to its widths.
 */
export default function loader({ src, width, quality }: LoaderProps): string {
  return nearestUrl(src, { width, quality })
}

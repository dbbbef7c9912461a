import { familyUrl, nearestWidth, parseFamily } from './family.js'

/** The request of a framework: a width in pixels, a quality of 1..100 or a class, a format. */
export interface Wanted {
  width?: number | string | null | undefined
  quality?: number | string | null | undefined
  format?: string | null | undefined
}

const classes: Readonly<Record<string, number>> = { low: 45, medium: 65, high: 85 }

/** Returns the URL of a template that is closest to what a framework requests, and any other URL unchanged. */
export function nearestUrl(src: string, { width, quality, format }: Wanted): string {
  const f = parseFamily(src)
  if (!f) return src
  const wanted = classes[quality!] ?? Number(quality)
  const distance = (name: string) => Math.abs(classes[name]! - wanted)
  return familyUrl(f, {
    width: width ? nearestWidth(f, Number(width)) : undefined,
    format: f.formats.find((name) => name === format),
    quality: wanted ? [...f.qualities].sort((a, b) => distance(a) - distance(b))[0] : undefined,
  })
}

/** A filter as the URL has it. A hidden one stays in the document and is left out of the URL. */
export type Filter = { name: string; args: string; hidden?: true }
/** A region of the source: pixels, or fractions when all four are at most 1. A right or bottom of 0 is the edge. */
export type Crop = { left: number; top: number; right: number; bottom: number }
export type Padding = { left: number; top: number; right: number; bottom: number }
export type Fit = '' | 'fit-in' | 'full-fit-in' | 'adaptive-fit-in' | 'adaptive-full-fit-in'

/** What an image URL asks for: the editor's document. Everything that the editor shows is read from it. */
export type Operations = {
  /** The whole segment, such as `trim:bottom-right:20`; empty without one. */
  trim: string
  crop: Crop | null
  fit: Fit
  stretch: boolean
  /** In pixels; 0: from the ratio. */
  width: number
  height: number
  hFlip: boolean
  vFlip: boolean
  padding: Padding
  hAlign: '' | 'left' | 'center' | 'right'
  vAlign: '' | 'top' | 'middle' | 'bottom'
  smart: boolean
  filters: Filter[]
}

const none: Padding = { left: 0, top: 0, right: 0, bottom: 0 }

/** No operation at all: the picture as it is. */
export function nothing(): Operations {
  return { trim: '', crop: null, fit: '', stretch: false, width: 0, height: 0, hFlip: false, vFlip: false, padding: none, hAlign: '', vAlign: '', smart: false, filters: [] }
}

/** The operations as a part of a URL, with a final slash; empty when nothing is asked. `all` writes hidden filters too. */
export function format(o: Operations, all = false): string {
  const parts: string[] = []
  if (o.trim) parts.push(o.trim)
  if (o.crop) parts.push(`${o.crop.left}x${o.crop.top}:${o.crop.right}x${o.crop.bottom}`)
  if (o.fit) parts.push(o.fit)
  if (o.stretch) parts.push('stretch')
  const { left, top, right, bottom } = o.padding
  const padded = left || top || right || bottom
  if (o.width || o.height || o.hFlip || o.vFlip || padded) parts.push(`${o.hFlip ? '-' : ''}${o.width}x${o.vFlip ? '-' : ''}${o.height}`)
  if (padded) parts.push(left === right && top === bottom ? `${left}x${top}` : `${left}x${top}:${right}x${bottom}`)
  if (o.hAlign) parts.push(o.hAlign)
  if (o.vAlign) parts.push(o.vAlign)
  if (o.smart) parts.push('smart')
  const filters = o.filters.filter((filter) => all || !filter.hidden)
  if (filters.length) parts.push(`filters:${filters.map((filter) => `${filter.name}(${filter.args})`).join(':')}`)
  return parts.map((part) => `${part}/`).join('')
}

/** Whether two documents are the same, hidden filters included. */
export const same = (a: Operations, b: Operations) => format(a, true) === format(b, true) && a.filters.every((filter, i) => filter.hidden === b.filters[i]?.hidden)

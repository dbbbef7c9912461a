import { format, nothing, type Operations } from './operations'
import { parse } from './parse'

/** The document as query parameters: its path, and which of its filters are hidden. */
export function toAddress(o: Operations): { p: string | null; off: string | null } {
  const hidden = o.filters.flatMap((filter, i) => (filter.hidden ? [i] : []))
  return { p: format(o, true).replace(/\/$/, '') || null, off: hidden.join('.') || null }
}

/** The document of an address; an empty one when it cannot be read. */
export function fromAddress(query: Pick<URLSearchParams, 'get'>): Operations {
  const found = parse(`${query.get('p') ?? ''}/x`)
  if (!found || found.image !== 'x') return nothing()
  const off = new Set((query.get('off') ?? '').split('.').filter(Boolean).map(Number))
  return { ...found.operations, filters: found.operations.filters.map((filter, i) => (off.has(i) ? { ...filter, hidden: true } : filter)) }
}

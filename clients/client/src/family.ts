/**
 * A signed family of URLs: the signature covers everything except what a browser may choose. The
 * GraphQL field `File.srcFamily` returns a family; `parseFamily` parses its `template`.
 */
export interface Family {
  base: string
  signature: string
  /** `family(...)` */
  policy: string
  /** Operations, image and version (`?v=`): the part of the URL after the choice. */
  path: string
  /** In CSS pixels, ascending; empty if the width is fixed. */
  widths: readonly number[]
  /** Device pixels per CSS pixel, ascending; empty if the density is fixed. */
  densities: readonly number[]
  formats: readonly string[]
  qualities: readonly string[]
}

/** A family, or its template: a URL with `{choice}` in it. */
export type Source = Family | string

/**
 * One value for each dimension that the family leaves open; an omitted one is as in the family's
 * operations.
 */
export interface Choice {
  width?: number | undefined
  density?: number | undefined
  format?: string | undefined
  quality?: string | undefined
}

const template = /^(.*)\/([^/]+)\/family\(([^/]*)\)\/[^/]+\/(.+)$/s

/** Parses a family from its template or from any of its URLs; null if the text is neither. */
export function parseFamily(text: string): Family | null {
  const [, base, signature, policy, path] = template.exec(text) ?? []
  if (!path) return null
  const family = { base: base!, signature: signature!, policy: `family(${policy})`, path, widths: [] as number[], densities: [] as number[], formats: [] as string[], qualities: [] as string[] }
  for (const token of policy!.split(',')) {
    const range = /^(\d+)-(\d+)-(\d+)w$/.exec(token)
    if (range) {
      const [from, to, step] = range.slice(1).map(Number) as [number, number, number]
      for (let w = from; w <= to && step; w += step) family.widths.push(w)
    } else if (/^\d+w$/.test(token)) family.widths.push(parseInt(token))
    else if (/^[\d.]+x$/.test(token)) family.densities.push(parseFloat(token))
    else if (/^(low|medium|high)$/.test(token)) family.qualities.push(token)
    else if (!token.includes('=')) family.formats.push(token)
  }
  return family
}

/** Returns the family, parsed if it is a template. Throws a TypeError for any other text. */
export function familyOf(source: Source): Family {
  const family = typeof source === 'string' ? parseFamily(source) : source
  if (!family) throw new TypeError(`${source} is not a template of a family`)
  return family
}

/**
 * Returns the URL of one choice. Throws a RangeError for a value that the family does not contain:
 * the server would refuse it.
 */
export function familyUrl(source: Source, choice: Choice = {}): string {
  const f = familyOf(source)
  const tokens: string[] = []
  const add = (value: number | string | undefined, of: readonly (number | string)[], unit = '') => {
    if (value == null) return
    if (!of.includes(value)) throw new RangeError(`${value}${unit} is not in the family, which has ${of.join()}`)
    tokens.push(value + unit)
  }
  add(choice.width, f.widths, 'w')
  add(choice.density, f.densities, 'x')
  add(choice.format, f.formats)
  add(choice.quality, f.qualities)
  return [f.base, f.signature, f.policy, tokens.join() || '-', f.path].join('/')
}

/**
 * Returns the family's smallest width of at least `pixels`, or else its largest; undefined if its
 * width is fixed.
 */
export function nearestWidth(source: Source, pixels: number): number | undefined {
  const { widths } = familyOf(source)
  return widths.find((w) => w >= pixels) ?? widths.at(-1)
}

/**
 * Returns a srcset of all widths, or of all densities if the family has no widths or the choice
 * sets one; empty if it has neither.
 */
export function srcset(source: Source, choice: Choice = {}): string {
  const f = familyOf(source)
  const list =
    f.widths.length && choice.width == null
      ? f.widths.map((width) => `${familyUrl(f, { ...choice, width })} ${width}w`)
      : f.densities.map((density) => `${familyUrl(f, { ...choice, density })} ${density}x`)
  return list.join(', ')
}

/** Returns the attribute `sizes`: `sizes({ '(min-width: 800px)': '50vw' }, '100vw')`. */
export function sizes(media: Readonly<Record<string, string>>, otherwise: string): string {
  return [...Object.entries(media).map(([query, length]) => `${query} ${length}`), otherwise].join(', ')
}

/** Returns the attributes of `<source>` for each format of the family, in its order. */
export function sources(source: Source, choice: Choice = {}): { type: string; srcset: string }[] {
  const f = familyOf(source)
  return f.formats.map((format) => ({ type: 'image/' + format, srcset: srcset(f, { ...choice, format }) }))
}

/**
 * Returns `src` and `srcset` of an `<img>`. Unless the choice sets a width, `src` has the middle
 * width of the family.
 */
export function attributes(source: Source, choice: Choice = {}): { src: string; srcset: string } {
  const f = familyOf(source)
  const width = choice.width ?? f.widths[f.widths.length >> 1]
  return { src: familyUrl(f, { ...choice, width }), srcset: srcset(f, choice) }
}

/**
 * Returns a URL of the API as an absolute URL. It is absolute already if the server has the setting
 * `base-url`, and otherwise begins with a slash. Templates keep their `{choice}`.
 */
export function absoluteUrl(server: string, address: string): string {
  return /^(https?:)?\/\//i.test(address) ? address : `${server.replace(/\/+$/, '')}/${address.replace(/^\/+/, '')}`
}

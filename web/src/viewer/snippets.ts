/** What a snippet is made of. Addresses are as the API gives them. */
export type Pieces = { alt: string; width: number; height: number; url: string; jpeg: string; webp: string; avif: string; jxl: string }
export type SnippetKind = 'url' | 'img' | 'picture' | 'react' | 'next' | 'markdown' | 'css'

const sizes = '(max-width: 960px) 100vw, 960px'
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
/** An address of the API with its origin. */
export const absolute = (url: string, origin: string) => (url.startsWith('/') ? origin + url : url)
/** The same of every address in a srcset. */
export const absoluteSet = (set: string, origin: string) => set.replace(/(^|,\s*)\//g, `$1${origin}/`)

/** The text to paste into a page, with absolute addresses. */
export function snippet(kind: SnippetKind, pieces: Pieces, origin: string): string {
  const url = absolute(pieces.url, origin)
  const set = (name: 'jpeg' | 'webp' | 'avif' | 'jxl') => escapeHtml(absoluteSet(pieces[name], origin)).replaceAll(/,\s+/g, ',\n    ')
  const box = pieces.width && pieces.height ? ` width="${pieces.width}" height="${pieces.height}"` : ''
  const image = `src="${escapeHtml(url)}"${box} alt="${escapeHtml(pieces.alt)}" loading="lazy"`
  // The smallest format comes first; a browser takes the first that it knows.
  const source = (name: 'jxl' | 'avif' | 'webp') => (pieces[name] ? `  <source type="image/${name}" sizes="${sizes}" srcset="\n    ${set(name)}">\n` : '')
  switch (kind) {
    case 'url':
      return url
    case 'img':
      return `<img\n  srcset="\n    ${set('webp')}"\n  sizes="${sizes}"\n  ${image}>`
    case 'picture':
      return `<picture>\n${source('jxl')}${source('avif')}${source('webp')}  <img sizes="${sizes}" srcset="\n    ${set('jpeg')}"\n    ${image}>\n</picture>`
    case 'react':
      return react(pieces, origin)
    case 'next':
      return next(pieces, origin)
    case 'markdown':
      return `![${pieces.alt.replaceAll(/[\\[\]]/g, '\\$&')}](<${url}>)`
    case 'css':
      return `background: url("${url.replaceAll('"', '%22')}") center / cover no-repeat;`
  }
}

// A string of JavaScript is a safe attribute of JSX whatever is in it.
const value = (text: string) => `{${JSON.stringify(text)}}`
const box = ({ width, height }: Pieces) => (width && height ? ` width={${width}} height={${height}}` : '')

function react(pieces: Pieces, origin: string): string {
  const source = (name: 'jxl' | 'avif' | 'webp') => (pieces[name] ? `  <source type="image/${name}" sizes="${sizes}" srcSet=${value(absoluteSet(pieces[name], origin))} />\n` : '')
  const url = absolute(pieces.url, origin)
  return `<picture>\n${source('jxl')}${source('avif')}${source('webp')}  <img src=${value(url)} sizes="${sizes}" srcSet=${value(absoluteSet(pieces.jpeg, origin))}${box(pieces)} alt=${value(pieces.alt)} loading="lazy" />\n</picture>`
}

// Next.js asks its loader for a width: the nearest of those that are signed here, so that it makes no pictures of its own.
function next(pieces: Pieces, origin: string): string {
  const signed = Object.fromEntries(absoluteSet(pieces.webp, origin).split(/,\s+/).map((entry) => entry.trim().split(/\s+/)).map(([url, width]) => [Number.parseInt(width ?? '', 10), url]))
  return `import Image from 'next/image'\n\nconst widths = ${JSON.stringify(signed, null, 2)}\nconst loader = ({ width }) => widths[Object.keys(widths).find((one) => one >= width) ?? Object.keys(widths).at(-1)]\n\n<Image loader={loader} src=${value(absolute(pieces.url, origin))}${box(pieces)} sizes="${sizes}" alt=${value(pieces.alt)} />`
}

/** What a snippet is made of. Addresses are as the API gives them. */
export type Pieces = { alt: string; width: number; height: number; url: string; jpeg: string; webp: string; avif: string }
export type SnippetKind = 'url' | 'img' | 'picture' | 'markdown' | 'css'

const sizes = '(max-width: 960px) 100vw, 960px'
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const absolute = (url: string, origin: string) => (url.startsWith('/') ? origin + url : url)
const absoluteSet = (set: string, origin: string) => set.replace(/(^|,\s*)\//g, `$1${origin}/`)

/** The text to paste into a page, with absolute addresses. */
export function snippet(kind: SnippetKind, pieces: Pieces, origin: string): string {
  const url = absolute(pieces.url, origin)
  const set = (name: 'jpeg' | 'webp' | 'avif') => escapeHtml(absoluteSet(pieces[name], origin)).replaceAll(/,\s+/g, ',\n    ')
  const box = pieces.width && pieces.height ? ` width="${pieces.width}" height="${pieces.height}"` : ''
  const image = `src="${escapeHtml(url)}"${box} alt="${escapeHtml(pieces.alt)}" loading="lazy"`
  switch (kind) {
    case 'url':
      return url
    case 'img':
      return `<img\n  srcset="\n    ${set('webp')}"\n  sizes="${sizes}"\n  ${image}>`
    case 'picture':
      return `<picture>\n  <source type="image/avif" sizes="${sizes}" srcset="\n    ${set('avif')}">\n  <source type="image/webp" sizes="${sizes}" srcset="\n    ${set('webp')}">\n  <img sizes="${sizes}" srcset="\n    ${set('jpeg')}"\n    ${image}>\n</picture>`
    case 'markdown':
      return `![${pieces.alt.replaceAll(/[\\[\]]/g, '\\$&')}](<${url}>)`
    case 'css':
      return `background: url("${url.replaceAll('"', '%22')}") center / cover no-repeat;`
  }
}

import { imageAttributes, type ImageProps } from './image.js'

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

/**
 * Returns an `<img>` of a family as HTML, for templates of Express, Eleventy and other programs
 * that generate text.
 */
export function imageHtml(props: ImageProps): string {
  const { style, ...attributes } = imageAttributes(props)
  const css = Object.entries(style).map(([name, value]) => `${name}: ${value}`).join('; ')
  const list = Object.entries({ ...attributes, style: css }).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return `<img ${list.join(' ')}>`
}

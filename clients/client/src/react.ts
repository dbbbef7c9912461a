import { createElement, type ComponentPropsWithoutRef, type ReactElement } from 'react'
import { imageAttributes, type ImageProps } from './image.js'

/** Properties of SafelightImage: those of ImageProps and of `<img>`. */
export type SafelightImageProps = ImageProps & Omit<ComponentPropsWithoutRef<'img'>, keyof ImageProps | 'src' | 'srcSet'>

/**
 * An `<img>` of a family with reserved space and a placeholder. It has no state, so it also works
 * as a server component.
 */
export function SafelightImage({ family, alt, width, height, sizes, thumbHash, loading, format, quality, style, ...rest }: SafelightImageProps): ReactElement {
  const { srcset, style: css, ...attributes } = imageAttributes({ family, alt, width, height, sizes, thumbHash, loading, format, quality })
  const own = Object.fromEntries(Object.entries(css).map(([name, value]) => [name.replace(/-(.)/g, (_, c: string) => c.toUpperCase()), value]))
  return createElement('img', { ...attributes, srcSet: srcset, ...rest, style: { ...own, ...style } })
}

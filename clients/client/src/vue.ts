import { h, type FunctionalComponent } from 'vue'
import { imageAttributes, type ImageProps } from './image.js'

/** An `<img>` of a family, with its place kept and its placeholder behind it. Other attributes go to the `<img>`. */
export const SafelightImage: FunctionalComponent<ImageProps> = (props) => {
  const { style, ...attributes } = imageAttributes(props)
  return h('img', { ...attributes, style })
}

// The author of the page chooses the order of attributes; a functional component has to name its properties.
SafelightImage.props = ['family', 'alt', 'width', 'height', 'sizes', 'thumbHash', 'loading', 'format', 'quality']

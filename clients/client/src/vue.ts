import { h, type FunctionalComponent } from 'vue'
import { imageAttributes, type ImageProps } from './image.js'

/** An `<img>` of a family with reserved space and a placeholder. Other attributes are passed to the `<img>`. */
export const SafelightImage: FunctionalComponent<ImageProps> = (props) => {
  const { style, ...attributes } = imageAttributes(props)
  return h('img', { ...attributes, style })
}

// The page's author chooses the order of attributes; a functional component has to declare its properties.
SafelightImage.props = ['family', 'alt', 'width', 'height', 'sizes', 'thumbHash', 'loading', 'format', 'quality']

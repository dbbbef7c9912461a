import { imageAttributes } from './image.js'

const observed = ['family', 'alt', 'width', 'height', 'sizes', 'thumbhash', 'loading', 'format', 'quality']

/**
 * `<safelight-image family="…{choice}…" alt="…" width="300" height="200">`: renders an `<img>` of a
 * family. Importing the module defines the element.
 */
export class SafelightImageElement extends HTMLElement {
  static observedAttributes = observed

  connectedCallback(): void {
    this.attributeChangedCallback()
  }

  attributeChangedCallback(): void {
    const get = (name: string) => this.getAttribute(name) ?? undefined
    const family = get('family')
    if (!this.isConnected || !family) return
    const { style, ...attributes } = imageAttributes({
      family,
      alt: get('alt') ?? '',
      width: Number(get('width')),
      height: Number(get('height')),
      sizes: get('sizes'),
      thumbHash: get('thumbhash'),
      loading: get('loading') === 'eager' ? 'eager' : 'lazy',
      format: get('format'),
      quality: get('quality'),
    })
    const img = this.querySelector('img') ?? document.createElement('img')
    // src is set last: what it loads depends on the other attributes
    const { src, ...others } = attributes
    for (const name of ['srcset', 'sizes']) if (!(name in attributes)) img.removeAttribute(name)
    for (const [name, value] of Object.entries({ ...others, src })) if (img.getAttribute(name) !== String(value)) img.setAttribute(name, String(value))
    for (const [name, value] of Object.entries(style)) img.style.setProperty(name, value)
    if (!img.parentNode) this.append(img)
  }
}

customElements.define('safelight-image', SafelightImageElement)

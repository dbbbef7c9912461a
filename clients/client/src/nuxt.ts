import { nearestUrl, type Wanted } from './nearest.js'

/** A provider for Nuxt Image: `src` is a template of a family. The width is the family's nearest. */
export default () => ({
  getImage: (src: string, { modifiers = {} }: { modifiers?: Wanted } = {}): { url: string } => ({ url: nearestUrl(src, modifiers) }),
})

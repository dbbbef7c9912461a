import { nearestUrl, type Wanted } from './nearest.js'

/** A provider for Nuxt Image: `src` is a template of a family. It uses the family's nearest width. */
export default () => ({
  getImage: (src: string, { modifiers = {} }: { modifiers?: Wanted } = {}): { url: string } => ({ url: nearestUrl(src, modifiers) }),
})

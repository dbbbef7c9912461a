import { readFileSync } from 'node:fs'
import { imageHtml } from '@safelight/client/html'

export default function (config) {
  // on a site of your own: an async function that calls fetchFamilies of @safelight/client/server
  config.addGlobalData('pictures', () => JSON.parse(readFileSync('pictures.json', 'utf8')))
  config.addShortcode('picture', (family, alt, width, height, thumbHash) => imageHtml({ family, alt, width, height, thumbHash }))
}

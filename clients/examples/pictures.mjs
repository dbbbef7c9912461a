// The pictures of the pages, as a program on a server makes them: families, signed with the secret that no page gets.
import { createHmac } from 'node:crypto'

export const widths = [300, 600, 900]

/** Makes 40 families: parts of the samples, 300x200 CSS pixels each. */
export async function makePictures(server, session, secret) {
  const { files } = await server.ask(session, '{ files(recursive: true, filter: { formats: [JPEG] }) { nodes { path thumbHash } } }')
  return Array.from({ length: 40 }, (_, i) => {
    const { path, thumbHash } = files.nodes[i % files.nodes.length]
    const left = (i % 8) / 16
    const signed = `${left}x0:${left + 0.5}x0.5/300x200/${path}`
    const policy = `family(${widths.map((w) => `${w}w`)},webp,jpeg)`
    return { template: `${server.url}/${sign(`${policy}/${signed}`, secret)}/${policy}/{choice}/${signed}`, thumbHash, alt: `Part ${i + 1} of ${path}`, width: 300, height: 200, path: signed, plain: (w) => plainUrl(server, signed, w, secret) }
  })
}

function sign(text, secret) {
  return createHmac('sha256', secret).update(text).digest('base64').replaceAll('+', '-').replaceAll('/', '_')
}

/** The ordinary signed URL of the same result. */
function plainUrl(server, path, width, secret) {
  const wide = path.replace('300x200', `${width}x${(width * 2) / 3}`)
  return `${server.url}/${sign(wide, secret)}/${wide}`
}

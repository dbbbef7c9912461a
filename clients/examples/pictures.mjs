// The pictures of the pages, as a program on a server gets them: families, signed by the API. No page has the secret.
import { createHmac } from 'node:crypto'

/** Makes 40 families: parts of the samples, 300x200 CSS pixels each. */
export async function makePictures(server, session, secret) {
  const { files } = await server.ask(session, '{ files(recursive: true, filter: { formats: [JPEG] }) { nodes { path thumbHash } } }')
  const pictures = []
  for (let i = 0; i < 40; i++) {
    const { path, thumbHash } = files.nodes[i % files.nodes.length]
    const left = (i % 8) / 16
    const operations = `${left}x0:${left + 0.5}x0.5/300x200`
    const { file } = await server.ask(session, family, { path, operations })
    const { template, path: versioned } = file.srcFamily
    const signed = versioned.split('?')[0] // the version is not signed
    pictures.push({
      template: server.url + template,
      thumbHash,
      alt: `Part ${i + 1} of ${path}`,
      width: 300,
      height: 200,
      plain: (width) => plainUrl(server, signed.replace('300x200', `${width}x${(width * 2) / 3}`), secret),
    })
  }
  return pictures
}

const family = `query ($path: String!, $operations: String!) {
  file(path: $path) { srcFamily(operations: $operations, vary: [WIDTH, FORMAT], widths: [300, 600, 900], formats: [WEBP, JPEG]) { template path } }
}`

/** The ordinary signed URL of a path. */
function plainUrl(server, path, secret) {
  return `${server.url}/${createHmac('sha256', secret).update(path).digest('base64url')}=/${path}`
}

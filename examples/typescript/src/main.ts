// A walk through the API: sign in, look around, upload, make a URL, page through a folder, trash and restore, clean up.
//   SAFELIGHT_URL=http://127.0.0.1:8000 SAFELIGHT_USERNAME=admin SAFELIGHT_PASSWORD=... npm test
import assert from 'node:assert/strict'
import { graphql } from './gql/index.js'
import { add, pictures, purge, restore, trash } from './gallery.js'
import { Safelight } from './safelight.js'
import { uploadResumably } from './upload.js'

const Folder = graphql(`
  query Folder($path: String!) {
    files(folder: $path, filter: { formats: [JPEG, PNG, WEBP] }, sort: SIZE, order: DESC, first: 5) {
      totalCount
      nodes { name path size modifiedAt thumbnailUrls { grid original meta } }
    }
  }
`)

const Thumbnail = graphql(`
  mutation Thumbnail($image: String!) {
    generateProcessorUrl(imagePath: $image, params: { width: 300, height: 200, smart: true, filters: [{ name: "format", args: "webp" }] })
  }
`)

const { SAFELIGHT_URL: address = 'http://127.0.0.1:8000', SAFELIGHT_USERNAME: username = 'admin', SAFELIGHT_PASSWORD: password = '' } = process.env
const safelight = await Safelight.login(address, username, password)

const { files } = await safelight.query(Folder, { path: 'samples' })
const first = files?.nodes[0]
assert(files && first?.thumbnailUrls, 'the sample gallery has a picture')
console.log(`${files.totalCount} pictures; the largest is ${first.name}, ${first.size} bytes`)

const grid = await safelight.picture(first.thumbnailUrls.grid)
console.log(`its thumbnail: ${grid.size} bytes of ${grid.type}`)

const folder = `examples/${Date.now()}`
const path = `${folder}/a.jpg`
const original = await safelight.picture(first.thumbnailUrls.original)
await add(safelight, path, original, 'ERROR')

const { generateProcessorUrl: url } = await safelight.mutate(Thumbnail, { image: path })
assert(url, 'admins may make URLs')
const webp = await safelight.picture(url)
assert.equal(webp.type, 'image/webp')
console.log(`${url}: ${webp.size} bytes of ${webp.type}`)

// The same name again: refused, beside the first one, or in its place.
await assert.rejects(add(safelight, path, original, 'ERROR'), /^Error: CONFLICT/)
assert.equal(await add(safelight, path, original, 'RENAME'), `${folder}/a-1.jpg`)
assert.equal(await add(safelight, path, original, 'REPLACE'), path)
await add(safelight, `${folder}/b.jpg`, original, 'ERROR')

// The same file by tus-js-client, broken off after its first chunk and resumed.
const bytes = Buffer.from(await original.arrayBuffer())
await uploadResumably(safelight, `${folder}/c.jpg`, bytes, Math.ceil(bytes.length / 3))
await assert.rejects(uploadResumably(safelight, `${folder}/c.jpg`, bytes, bytes.length), /CONFLICT/)

const found: string[] = []
for await (const picture of pictures(safelight, folder, 2)) {
  found.push(picture.path)
  assert(picture.srcset)
  const smallest = await safelight.picture(picture.srcset.split(' ')[0] ?? '')
  assert.equal(smallest.type, 'image/webp')
}
assert.deepEqual(found, [`${folder}/a-1.jpg`, path, `${folder}/b.jpg`, `${folder}/c.jpg`].sort())
console.log(`${found.length} pictures in pages of 2, each with a srcset`)

const ids = await trash(safelight, [path])
assert.deepEqual(await restore(safelight, ids), [path])
console.log(`${path} was in the trash and is back`)

await purge(safelight, await trash(safelight, [folder])) // for good
console.log('all good')

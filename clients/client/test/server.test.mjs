import assert from 'node:assert/strict'
import { test } from 'node:test'
import { familyUrl, parseFamily, path, sources, srcset, url } from '@safelight/client'
import { vectors } from './read/vectors.mjs'

const server = process.env.SAFELIGHT_URL
const skip = server ? false : 'SAFELIGHT_URL names no server'

test('a server reads what the builder writes', { skip }, async () => {
  for (const { image, operations } of vectors('paths.json').paths) {
    const answer = await fetch(url(`${server}/params`, path(image, operations)))
    const params = await answer.json()
    assert.equal(answer.status, 200, JSON.stringify(params))
    assert.equal(params.image, image)
    assert.equal(params.warnings, undefined, JSON.stringify(params))
    assert.deepEqual((params.filters ?? []).map((f) => f.name), (operations.filters ?? []).map(([name]) => name))
    for (const side of ['width', 'height']) if (operations[side] > 0) assert.equal(params[side], operations[side])
  }
})

/** Asks the API as the administrator. */
async function ask(query) {
  const post = (path, body, headers = {}) => fetch(server + path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) })
  const { SAFELIGHT_USERNAME: username, SAFELIGHT_PASSWORD: password } = process.env
  const { token } = await (await post('/api/auth/login', { username, password })).json()
  const { data, errors } = await (await post('/api/graphql', { query }, { Authorization: `Bearer ${token}` })).json()
  assert.equal(errors, undefined, JSON.stringify(errors))
  return data
}

test('a family of the API', { skip }, async () => {
  const fields = 'base signature policy path widths densities formats qualities template'
  const urls = 'all: url(width: 320, density: 1.5, format: "webp", quality: "low") width: url(width: 640) none: url'
  const { file } = await ask(`{ file(path: "samples/welcome.jpg") { srcFamily(operations: "300x200/smart", vary: [WIDTH, DPR, FORMAT, QUALITY], widths: [320, 640], densities: [1, 1.5]) { ${fields} ${urls} } } }`)
  const { all, width, none, template, ...family } = file.srcFamily
  assert.deepEqual(parseFamily(template), family)
  assert.equal(familyUrl(family, { width: 320, density: 1.5, format: 'webp', quality: 'low' }), all)
  assert.equal(familyUrl(template, { width: 640 }), width)
  assert.equal(familyUrl(template), none)

  const status = async (url) => (await fetch(new URL(url, server))).status
  for (const entry of srcset(family).split(', ')) assert.equal(await status(entry.split(' ')[0]), 200, entry)
  for (const { srcset } of sources(family)) assert.equal(await status(srcset.split(' ')[0]), 200, srcset)
  for (const choice of ['321w', '320w,640w', '2x', '320w,gif']) assert.equal(await status(template.replace('{choice}', choice)), 403, choice)
})

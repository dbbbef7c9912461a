import assert from 'node:assert/strict'
import { test } from 'node:test'
import { absoluteUrl, familyUrl, parseFamily, path, sources, srcset, url } from '@safelight/client'
import { fetchFamilies } from '@safelight/client/server'
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

const post = (path, body, headers = {}) => fetch(server + path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) })

/** Logs the administrator in. */
async function login() {
  const { SAFELIGHT_USERNAME: username, SAFELIGHT_PASSWORD: password } = process.env
  return (await (await post('/api/auth/login', { username, password })).json()).token
}

/** Asks the API as the administrator. */
async function ask(query) {
  const token = await login()
  const { data, errors } = await (await post('/api/graphql', { query }, { Authorization: `Bearer ${token}` })).json()
  assert.equal(errors, undefined, JSON.stringify(errors))
  return data
}

test('a family of the API', { skip }, async () => {
  const fields = 'base signature policy path widths densities formats qualities template'
  const urls = 'all: url(width: 320, density: 1.5, format: WEBP, quality: LOW) width: url(width: 640) none: url'
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

test('families for a page, fetched by its server', { skip }, async () => {
  const token = await login()
  const options = { operations: '300x200/smart', widths: [320, 640], formats: ['webp'] }
  const paths = ['samples/welcome.jpg', 'samples/missing.jpg', ...Array(60).fill('samples/welcome.jpg')]
  const pictures = await fetchFamilies({ server, token }, paths, options)
  assert.equal(pictures.length, paths.length)
  assert.equal(pictures[1], null)
  for (const picture of [pictures[0], pictures[61]]) {
    assert.ok(picture.template.startsWith(server), picture.template)
    assert.equal((await fetch(familyUrl(picture.template, { width: 640, format: 'webp' }))).status, 200)
  }
  const [latest] = await fetchFamilies({ server, token }, paths.slice(0, 1), { ...options, version: 'LATEST' })
  assert.match(pictures[0].template, /\?v=/)
  assert.doesNotMatch(latest.template, /\?v=/)
  const followed = await fetch(familyUrl(latest.template, { width: 640, format: 'webp' }))
  assert.equal(followed.status, 200)
  assert.match(followed.headers.get('cache-control'), /max-age=300\b/)
  await assert.rejects(fetchFamilies({ server, token: 'wrong' }, paths, options), (error) => error.message.startsWith(server))
  await assert.rejects(fetchFamilies({ server, token }, ['samples/welcome.jpg'], { widths: [0] }), /width/)
})

test('addresses of the API become absolute, with or without the setting base-url', () => {
  const template = '/c2ln/family(320w)/{choice}/300x200/a.jpg?v=1'
  for (const [server, address, expected] of [
    ['https://img.example.com', template, 'https://img.example.com' + template],
    ['https://img.example.com/', template, 'https://img.example.com' + template],
    ['https://img.example.com/base/', template, 'https://img.example.com/base' + template],
    ['https://img.example.com', 'https://cdn.example.com' + template, 'https://cdn.example.com' + template],
    ['https://img.example.com', '//cdn.example.com' + template, '//cdn.example.com' + template],
  ]) {
    assert.equal(absoluteUrl(server, address), expected)
  }
})

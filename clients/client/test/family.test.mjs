import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attributes, familyOf, familyUrl, nearestWidth, parseFamily, sizes, sources, srcset } from '@safelight/client'
import { vectors } from './read/vectors.mjs'

const base = 'https://img.example.com'
const template = (policy) => `${base}/c2lnbmF0dXJl/family(${policy})/{choice}/300x200/a.jpg`
const at = (policy, choice) => template(policy).replace('{choice}', choice)

test('URLs of the vectors', () => {
  for (const { signature, policy, path, choices } of vectors('urls.json').families) {
    const family = parseFamily(`${base}/${signature}/family(${policy})/{choice}/${path}`)
    for (const { choice, url, ...chosen } of choices) assert.equal(familyUrl(family, chosen), base + url, choice)
  }
})

test('a template and any URL of a family are read', () => {
  const want = { base, signature: 'c2lnbmF0dXJl', policy: 'family(320w,640w,1x,1.5x,avif,webp,low,key=a,until=9)', path: '300x200/a.jpg', widths: [320, 640], densities: [1, 1.5], formats: ['avif', 'webp'], qualities: ['low'] }
  const policy = '320w,640w,1x,1.5x,avif,webp,low,key=a,until=9'
  assert.deepEqual(parseFamily(template(policy)), want)
  assert.deepEqual(parseFamily(at(policy, '320w,avif')), want)
  assert.deepEqual(parseFamily(template('320-800-160w')).widths, [320, 480, 640, 800])
  assert.deepEqual(parseFamily(template('320-900-200w')).widths, [320, 520, 720])
  assert.equal(parseFamily('/c2lnbmF0dXJl/family(1x)/-/a.jpg').base, '')
  for (const text of ['', '/logo.svg', `${base}/unsafe/300x200/a.jpg`, `${base}/sig/family(1x)/a.jpg`]) assert.equal(parseFamily(text), null, text)
  assert.throws(() => familyOf('/logo.svg'), TypeError)
})

test('the version of the picture stays in every URL', () => {
  const versioned = template('320w,640w,2x,webp') + '?v=1%2F2-%22a%22'
  const family = parseFamily(versioned)
  assert.equal(family.path, '300x200/a.jpg?v=1%2F2-%22a%22')
  assert.deepEqual(parseFamily(familyUrl(family, { width: 320 })), family)
  const urls = [familyUrl(versioned), attributes(versioned).src, ...[srcset(versioned), ...sources(versioned).map((s) => s.srcset)].flatMap((set) => set.split(', ').map((entry) => entry.split(' ')[0]))]
  for (const url of urls) assert.match(url, /\/300x200\/a\.jpg\?v=1%2F2-%22a%22$/)
})

test('a width outside the family is an error', () => {
  const policy = '320w,640w,2x,webp,low'
  for (const choice of [{ width: 321 }, { density: 3 }, { format: 'avif' }, { quality: 'high' }]) assert.throws(() => familyUrl(template(policy), choice), RangeError)
  assert.throws(() => familyUrl(template(policy), { width: 321 }), { message: '321w is not in the family, which has 320,640' })
})

test('the nearest width', () => {
  for (const [pixels, want] of [[1, 320], [320, 320], [321, 640], [640, 640], [9000, 960]]) assert.equal(nearestWidth(template('320w,640w,960w'), pixels), want)
  assert.equal(nearestWidth(template('1x'), 300), undefined)
})

test('srcset by widths and by densities', () => {
  const both = '320w,640w,1x,2x'
  assert.equal(srcset(template(both)), `${at(both, '320w')} 320w, ${at(both, '640w')} 640w`)
  assert.equal(srcset(template(both), { width: 320 }), `${at(both, '320w,1x')} 1x, ${at(both, '320w,2x')} 2x`)
  assert.equal(srcset(template('1x,2x,webp'), { format: 'webp' }), `${at('1x,2x,webp', '1x,webp')} 1x, ${at('1x,2x,webp', '2x,webp')} 2x`)
  assert.equal(srcset(template('webp')), '')
})

test('attributes of img and source', () => {
  const policy = '320w,640w,960w,avif,webp'
  assert.deepEqual(attributes(template(policy)), { src: at(policy, '640w'), srcset: srcset(template(policy)) })
  assert.deepEqual(attributes(template('1x,2x')), { src: at('1x,2x', '-'), srcset: srcset(template('1x,2x')) })
  assert.deepEqual(sources(template(policy)).map((s) => [s.type, s.srcset.split(', ')[0]]), [
    ['image/avif', `${at(policy, '320w,avif')} 320w`],
    ['image/webp', `${at(policy, '320w,webp')} 320w`],
  ])
  assert.equal(sizes({ '(min-width: 800px)': '50vw' }, '100vw'), '(min-width: 800px) 50vw, 100vw')
})

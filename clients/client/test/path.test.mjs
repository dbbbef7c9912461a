import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeImage, path, url } from '@safelight/client'
import { vectors } from './read/vectors.mjs'

const { images, paths } = vectors('paths.json')

test('images are percent-encoded and never read as operations', () => {
  for (const { image, encoded } of images) assert.equal(encodeImage(image), encoded)
})

test('operations are written in the order of the grammar', () => {
  for (const { image, operations, path: want } of paths) assert.equal(path(image, operations), want)
})

test('presets are called by name', () => {
  assert.equal(path('a.jpg', { preset: 'card' }), 'preset(card)/a.jpg')
  assert.equal(path('preset(b)/a.jpg', { preset: ['card@3', 320, null, 'top'], width: 300 }), 'preset(card@3,320,,top)/300x0/preset(b)%2Fa.jpg')
  assert.equal(path('a.jpg', { preset: ['card', '1)/raw,2'] }), 'preset(card,1%29%2Fraw%2C2)/a.jpg')
  assert.equal(path('a.jpg', { filters: [['image', { image: 'b.png', preset: ['card', 320] }]] }), 'filters:image(preset(card,320)/b.png)/a.jpg')
})

test('nothing escapes its argument', () => {
  assert.equal(path('a.jpg', { filters: [['focal', '1,2):raw(']] }), 'filters:focal(1,2:)/a.jpg')
  assert.equal(path('a.jpg', { filters: [['fill', 'red):raw(']] }), 'filters:fill(red%29%3Araw%28)/a.jpg')
})

test('URLs of a server', () => {
  assert.equal(url('https://img.example.com/', '300x0/a.jpg', 'abc='), 'https://img.example.com/abc=/300x0/a.jpg')
  assert.equal(url('https://img.example.com', '300x0/a.jpg'), 'https://img.example.com/unsafe/300x0/a.jpg')
})

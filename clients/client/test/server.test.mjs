import assert from 'node:assert/strict'
import { test } from 'node:test'
import { path, url } from '@safelight/client'
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

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetOutage, uploadFiles } from './tab.mjs'

const count = 200
const nameOf = (i) => `up-${String(i).padStart(3, '0')}.png`
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/**
 * A line that breaks: it ends connections in the middle of the bytes of a file, and after the server has done what was asked for but
 * before it could say so. `held` keeps what is sent of one file until it is let go.
 */
export function breakingLine() {
  const seen = { PATCH: 0, CreateUpload: 0, FinishUpload: 0 }
  const line = { cuts: [], lost: [], finished: new Set(), hold: 0, heldBack: null, letGo: null }
  const kindOf = (request, body) => (request.method === 'PATCH' ? 'PATCH' : (/(?:query|mutation) (\w+)/.exec(body)?.[1] ?? ''))
  line.through = async (upstream) => {
    const server = http.createServer(async (request, response) => {
      request.on('error', () => undefined)
      const parts = []
      for await (const part of request) parts.push(part)
      const body = Buffer.concat(parts)
      const kind = kindOf(request, request.url === '/api/graphql' ? body.toString() : '')
      const n = kind in seen ? ++seen[kind] : 0
      if (kind === 'PATCH' && n === line.hold) await new Promise((resolve) => { line.letGo = resolve; line.heldBack?.() })
      const cut = (kind === 'PATCH' && n % 40 === 20) || (kind === 'CreateUpload' && n === 50) || (kind === 'FinishUpload' && n === 70)
      if (cut) line.cuts.push(kind)
      if (kind === 'FinishUpload') line.finished.add(JSON.parse(body).variables.input.id)
      const onward = http.request(new URL(request.url, upstream), { method: request.method, headers: request.headers }, (answer) => {
        if (cut) {
          let said = ''
          return answer.on('data', (part) => (said += part)).on('end', () => {
            if (kind === 'CreateUpload') line.lost.push(/"id":"([^"]+)/.exec(said)?.[1])
            request.socket.destroy()
          })
        }
        response.writeHead(answer.statusCode, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => request.socket.destroy())
      response.on('close', () => onward.destroy())
      if (cut && kind === 'PATCH') onward.write(body.subarray(0, body.length / 2), () => onward.destroy(new Error('cut')))
      else onward.end(body)
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close(server.closeAllConnections()) }
  }
  return line
}

// Pictures of different bytes and sizes, some of them larger than what a connection buffers: a PNG with a text of its own behind it.
function paint(folder) {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
  return new Map(Array.from({ length: count }, (_, i) => {
    const bytes = Buffer.concat([png, Buffer.alloc(1000 + (i % 20 === 0 ? 300_000 : i * 37), `${i} `)])
    writeFileSync(join(folder, nameOf(i)), bytes)
    return [nameOf(i), { size: bytes.length, sha256: sha256(bytes) }]
  }))
}

async function sendsAll({ page, context, server, wrong, options: { line } }) {
  const folder = mkdtempSync(join(tmpdir(), 'safelight-uploads-'))
  try {
    const files = paint(folder)
    const tray = page.getByRole('complementary', { name: 'Uploads' })
    const status = tray.getByRole('status')
    const held = new Promise((resolve) => (line.heldBack = resolve))
    line.hold = 90
    await page.goto(`${server.url}/`)
    await uploadFiles(page, [...files.keys()].map((name) => join(folder, name)))
    // In the middle somebody pauses, while the bytes of a file are on their way.
    await held
    await page.getByRole('button', { name: 'Pause uploads' }).click()
    await tray.getByText(/^\d+ of 200 uploaded$/).waitFor()
    line.letGo()
    // Then the network is gone: what is tried fails, and the tray says how much is there.
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Resume uploads' }).click()
    await tray.locator('.bad').nth(30).waitFor()
    await tray.getByText(/^\d+ of 200 uploaded$/).waitFor()
    const said = Number(/^\d+/.exec(await status.textContent())[0])
    assert.ok(said > 0 && said < count, `${said} files are said to be uploaded while the network is gone`)
    // A list that could not be asked for comes by itself when the network does.
    const unloaded = page.getByText('The pictures did not load')
    await page.getByRole('treeitem', { name: 'demo' }).click()
    await unloaded.waitFor()
    await context.setOffline(false)
    await unloaded.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Resume uploads' }).click()
    await tray.getByText('200 files uploaded', { exact: true }).waitFor()
    assert.equal(await page.getByText('Name is taken').count(), 0)
    assert.deepEqual(line.cuts.toSorted(), ['CreateUpload', 'FinishUpload', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'PATCH'])
    // The upload whose answer was lost is the one that was sent.
    assert.deepEqual(line.lost.map((id) => line.finished.has(id)), [true])
    // All are there with their bytes, none twice, and nothing else is.
    const session = await server.login()
    const { files: { totalCount, nodes: first }, more } = await server.ask(session, '{ files(first: 100) { totalCount nodes { name size } } more: files(first: 100, skip: 100) { nodes { name size } } }')
    const nodes = [...first, ...more.nodes]
    assert.equal(totalCount, count)
    assert.deepEqual(nodes.map(({ name }) => name).toSorted(), [...files.keys()])
    for (const { name, size } of nodes) {
      assert.equal(size, files.get(name).size, name)
      assert.equal(sha256(readFileSync(join(server.data, 'files', name))), files.get(name).sha256, name)
    }
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Library' }).click()
    await page.locator('[role=option][aria-setsize="200"]').first().waitFor()
    forgetOutage(wrong)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** 200 files over a line that breaks in the middle of files, before answers and altogether, paused once: all are there, none twice. */
export const upload200 = {
  server() {
    const line = breakingLine()
    return { line, through: line.through }
  },
  walk: sendsAll,
}

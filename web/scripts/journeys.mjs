// Walks through the application in a real Chromium against a real server. After each page axe looks for barriers; no
// error in the console, no report of the policy and no request to another host is allowed.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pages } from './pages.mjs'
import { password, startBrowser, startServer } from './server.mjs'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const only = process.argv[2]
const firstViewBudget = 120_000

/** Opens a tab that remembers what must not happen. */
async function openTab(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const wrong = []
  page.on('console', (message) => message.type() === 'error' && !expected(message) && wrong.push(message.text()))
  page.on('pageerror', (error) => wrong.push(error.stack))
  page.on('request', (request) => !/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== new URL(server.url).origin && wrong.push(`asked ${request.url()}`))
  return { page, context, wrong }
}
// A refusal that the page shows in words is an error to the console all the same.
const expected = (message) => /status of (401|403|404|409)/.test(message.text())

async function login(page, server, username = 'admin', secret = password) {
  await page.goto(`${server.url}/login`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(`${server.url}/`)
}

// Through the debugger's world, for the policy lets no script in that is not the application's.
async function barriers(page) {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' })
  await session.send('Runtime.evaluate', { expression: axeSource, contextId })
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId, awaitPromise: true, returnByValue: true,
    expression: `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? '')).slice(0, 3).join(' | ')))`,
  })
  await session.detach()
  return exceptionDetails ? [exceptionDetails.text] : result.value
}

const tile = (page, n) => page.locator('[role=option]').nth(n)
const tiles = (page) => page.locator('[role=option]').count()

const journeys = {
  async firstRun(browser) {
    const server = await startServer({ env: { SAFELIGHT_ADMIN_PASSWORD: '' }, args: ['--admin-username', ''] })
    const { page, wrong, context } = await openTab(browser, server)
    try {
      const token = /setup token (\S+)/.exec(server.output())?.[1] ?? /setup#(\S+)/.exec(server.output())?.[1]
      await page.goto(`${server.url}/setup#wrong`)
      await page.getByLabel('Username').fill('mira')
      await page.getByLabel('Password').fill('a long enough one')
      await page.getByRole('button', { name: 'Make the account' }).click()
      await page.getByRole('alert').filter({ hasText: 'does not take this token' }).waitFor()
      await page.goto('about:blank')
      await page.goto(`${server.url}/setup#${token}`)
      await page.waitForURL(/\/setup$/) // the token is out of the address
      await page.getByLabel('Display name').fill('Mira')
      await page.getByLabel('Username').fill('mira')
      await page.getByLabel('Password').fill('short')
      await page.getByRole('button', { name: 'Make the account' }).click()
      await page.getByRole('alert').filter({ hasText: 'at least 12' }).waitFor()
      await page.getByLabel('Password').fill('a long enough one')
      await page.getByRole('button', { name: 'Make the account' }).click()
      await page.getByRole('heading', { name: 'Library' }).waitFor()
      assert.deepEqual(await barriers(page), [])
      assert.deepEqual(wrong, [])
    } finally {
      await context.close()
      await server.stop()
    }
  },

  async session(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await page.goto(`${server.url}/f/demo/landscapes?sort=size`)
    await page.waitForURL(/\/login\?next=/)
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Username or password is wrong.').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${server.url}/f/demo/landscapes?sort=size`)
    await tile(page, 0).waitFor()
    await page.reload()
    await tile(page, 0).waitFor()
    const other = await context.newPage()
    await other.goto(`${server.url}/me`)
    await other.getByRole('button', { name: 'Log out', exact: true }).click()
    await other.waitForURL(/\/login/)
    await page.waitForURL(/\/login/)
    assert.deepEqual(await context.cookies(), [])
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async guest(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await page.goto(`${server.url}/login`)
    await page.getByRole('button', { name: 'Look around as a guest' }).click()
    await page.goto(`${server.url}/f/demo/landscapes`)
    await tile(page, 0).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Upload' }).count(), 0, 'a guest is offered to upload')
    await page.goto(`${server.url}/trash`)
    await page.getByText('Your account may not open this page').waitFor()
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async keyboard(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    await page.goto(`${server.url}/f/demo/landscapes`)
    await tile(page, 0).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+a')
    await page.getByText('3 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/i\/demo\/landscapes\//)
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/f\/demo\/landscapes/)
    await tile(page, 0).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('dawn type:jpg ')
    await page.getByRole('button', { name: 'Remove filter: JPG' }).waitFor()
    await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 1)
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async trashAndRestore(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    await page.goto(`${server.url}/f/demo/landscapes`)
    await tile(page, 2).waitFor()
    await tile(page, 0).focus()
    await page.keyboard.press('Delete')
    await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 3)
    await tile(page, 1).focus()
    await page.keyboard.press('Delete')
    await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 2)
    await page.goto(`${server.url}/trash`)
    await page.getByRole('checkbox').first().check()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('button', { name: 'Restore 1' }).click()
    await page.getByText('The trash is empty').waitFor()
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async moveWithUndo(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    await page.goto(`${server.url}/f/demo/patterns`)
    await tile(page, 0).waitFor()
    const before = await tiles(page)
    await tile(page, 0).focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByLabel(/New folder in/).fill('Press')
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('1 picture moved to Press').waitFor()
    await page.waitForFunction((n) => document.querySelectorAll('[role=option]').length === n, before - 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.waitForFunction((n) => document.querySelectorAll('[role=option]').length === n, before)
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async upload(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    await page.goto(`${server.url}/`)
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
    const files = Array.from({ length: 20 }, (_, i) => ({ name: `up-${i}.png`, mimeType: 'image/png', buffer: png }))
    const add = async (list) => {
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await (await chooser).setFiles(list)
    }
    await add(files)
    await page.getByText('20 files uploaded').waitFor()
    await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 20)
    await add(files.slice(0, 2))
    await page.getByText('Name is taken').first().waitFor()
    await page.getByRole('button', { name: 'Keep both' }).last().click()
    await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 22)
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual(wrong, [])
    await context.close()
  },

  // Opened in the browser, what somebody uploaded stands in the application's origin. It must not read the session there.
  async hostile(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    const steal = "try { document.documentElement.setAttribute('stolen', localStorage.length + localStorage.getItem('safelight.session')) } catch { document.documentElement.setAttribute('stolen', 'refused') }"
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${steal.replaceAll('"', '&quot;')}"><script>${steal}</script><foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml"><script>${steal}</script></body></foreignObject></svg>`
    const html = `<!doctype html><script>${steal}</script>`
    const upload = async (path, text) => {
      const body = new FormData()
      body.set('operations', JSON.stringify({ query: 'mutation($input: AddFileInput!) { addFile(input: $input) { file { thumbnailUrls { original meta full } } userErrors { code } } }', variables: { input: { path, content: null } } }))
      body.set('map', '{"0":["variables.input.content"]}')
      body.set('0', new Blob([text]), path)
      const token = await page.evaluate(() => Object.values(localStorage).map((text) => /"token":"([^"]+)"/.exec(text)?.[1]).find(Boolean))
      const answer = await fetch(`${server.url}/api/graphql`, { method: 'POST', headers: { Authorization: `Bearer ${token}` }, body })
      return answer.json()
    }
    const uploaded = await upload('hostile.svg', svg)
    const refused = await upload('hostile.html', html)
    assert.ok(uploaded.data?.addFile?.file, JSON.stringify(uploaded))
    assert.ok(!refused.data?.addFile?.file, 'a page of HTML was taken as a picture')
    writeFileSync(join(server.data, 'files', 'hostile.html'), html) // somebody who can write to the storage
    const { original, meta, full } = uploaded.data.addFile.file.thumbnailUrls
    for (const address of [original, meta, full, '/hostile.html', '/unsafe/hostile.html', '/params/unsafe/<script>x</script>/hostile.html', '/api/<script>x</script>']) {
      const answer = await page.goto(new URL(address, server.url).href)
      const headers = answer.headers()
      assert.equal(headers['x-content-type-options'], 'nosniff', address)
      assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*sandbox/, address)
      assert.equal(await page.evaluate(() => document.documentElement.getAttribute('stolen')), null, `a script ran at ${address}`)
      assert.equal(await page.evaluate(() => { try { return localStorage.length } catch { return 'refused' } }), 'refused', `${address} can read the session`)
    }
    assert.deepEqual(wrong.filter((line) => !/Blocked script execution|Content Security Policy|sandboxed|status of 4/.test(line)), [])
    await context.close()
  },

  async viewer(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(server.url).origin })
    await login(page, server)
    await page.goto(`${server.url}/f/demo/landscapes`)
    await tile(page, 0).locator('img.shown').waitFor()
    await tile(page, 0).focus()
    await page.keyboard.press('Enter')
    await page.locator('img[data-shown]').waitFor()
    await page.getByText('1 of 3').waitFor()
    const started = page.url()
    const source = () => page.locator('img[data-shown]').getAttribute('src')
    const fitted = await source()
    await page.keyboard.press('1')
    await page.waitForFunction(() => /100/.test(document.querySelector('.percent').textContent))
    for (let i = 0; i < 4; i++) await page.keyboard.press('+')
    await page.waitForFunction((before) => document.querySelector('img[data-shown]').getAttribute('src') !== before, fitted)
    await page.keyboard.press('0')
    await page.keyboard.press('ArrowRight')
    await page.getByText('2 of 3').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(started)
    await page.keyboard.press('i')
    await page.getByRole('heading', { name: 'Use this picture' }).waitFor()
    for (const [kind, begins] of [['<img>', '<img'], ['<picture>', '<picture>'], ['Markdown', '!['], ['CSS', 'background'], ['URL', 'http']]) {
      await page.getByRole('radio', { name: kind, exact: true }).check()
      await page.getByRole('button', { name: 'Copy', exact: true }).click()
      await page.waitForFunction(async (start) => (await navigator.clipboard.readText()).startsWith(start), begins)
    }
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal((await fetch(copied)).headers.get('content-type')?.startsWith('image/'), true, `${copied} is no picture`)
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    const box = await page.locator('.picture').boundingBox()
    await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.75)
    await page.waitForFunction(() => document.querySelector('figure img').style.objectPosition.startsWith('2'))
    assert.deepEqual(await barriers(page), [])
    await page.keyboard.press('Escape')
    await page.getByLabel('Add a tag').fill('evening, sea')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove tag: evening' }).click()
    await page.getByRole('button', { name: 'Remove tag: evening' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('button', { name: 'Remove tag: sea' }).waitFor()
    await page.getByText('1 of 3').waitFor()
    await page.locator('.stage').click()
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/f\/demo\/landscapes/)
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async editor(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg`)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.locator('img[data-rendered]').waitFor()
    const url = page.getByRole('textbox', { name: 'URL of the result' })
    const rendered = (part) => page.waitForFunction((text) => document.querySelector('img[data-rendered]')?.dataset.rendered.includes(text), part)
    const asked = []
    page.on('request', (request) => /\/unsafe\/(?!meta)/.test(request.url()) && asked.push(request.url()))
    await page.getByRole('slider', { name: 'Brightness' }).fill('20')
    await rendered('brightness(20)')
    assert.equal(asked.length, 1, `one change asked for ${asked.join(' ')}`)
    assert.equal(await url.inputValue(), 'filters:brightness(20)/demo/landscapes/dawn.jpg')
    await page.getByText('Change the brightness by 20 percent').waitFor()
    // What is typed, and what was copied with a signature, is followed by the controls.
    await url.fill('/abcdefghijklmnopqrst=/600x400/filters:contrast(-30):blurr(2)/demo/landscapes/dawn.jpg')
    await rendered('contrast(-30)')
    assert.equal(await page.getByRole('slider', { name: 'Contrast' }).inputValue(), '-30')
    await page.getByText('filter "blurr" is unknown').waitFor()
    await url.fill('600x400/filters:contrast(')
    await page.getByText('This URL is not complete yet.').waitFor()
    await url.press('Escape')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await rendered('brightness(20)')
    // A layer of text, moved with the keys, hidden and shown.
    await page.getByRole('button', { name: 'Add a layer' }).click()
    await page.getByRole('menuitem', { name: 'Text' }).click()
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Good morning, (you)')
    await rendered('Good%20morning%2C%20%28you%29')
    await page.getByRole('button', { name: 'Move Good morning, (you) with the arrow keys' }).press('Shift+ArrowRight')
    await page.waitForFunction(() => document.querySelector('textarea[aria-label="URL of the result"]').value.includes('center+10'))
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('button', { name: 'Hide Good morning, (you)' }).click()
    assert.doesNotMatch(await url.inputValue(), /text\(/)
    // The address holds all of it, the hidden layer too.
    await page.waitForURL(/off=1/)
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByRole('button', { name: 'Show Good morning, (you)' }).click()
    await rendered('text(')
    await page.getByRole('button', { name: 'Crop and rotate' }).click()
    await page.getByRole('button', { name: '1:1' }).click()
    await page.getByRole('button', { name: 'Edge SE of the crop' }).press('ArrowLeft')
    await page.getByRole('button', { name: 'Output' }).click()
    await page.getByRole('button', { name: /WEBP/ }).click()
    await page.getByRole('button', { name: 'Save as new file' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('morning')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('1 file uploaded').waitFor()
    await page.getByRole('button', { name: 'Save as template' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Morning card')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Template Morning card is saved').waitFor()
    // Unsaved work is not left without a question.
    await page.getByRole('button', { name: 'Light and color' }).click()
    await page.getByRole('slider', { name: 'Saturation' }).fill('40')
    let questions = 0
    page.once('dialog', (dialog) => (questions++, void dialog.dismiss()))
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await page.waitForFunction(() => location.pathname.startsWith('/edit/'))
    await page.getByText('not saved').waitFor()
    assert.equal(questions, 1)
    page.once('dialog', (dialog) => void dialog.accept())
    await page.goto(`${server.url}/i/demo/landscapes/morning.webp`)
    await page.locator('img[data-shown]').waitFor()
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async templates(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    await page.goto(`${server.url}/templates`)
    await page.getByRole('heading', { name: 'Templates' }).waitFor()
    await page.goto(`${server.url}/edit/demo/landscapes/forest.jpg?p=300x200/filters:grayscale():text(Proof,10,-10,sans-24,ffffff)`)
    await page.getByRole('button', { name: 'Save as template' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Proof')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Template Proof is saved').waitFor()
    await page.goto(`${server.url}/templates`)
    const face = page.getByRole('button', { name: 'Apply Proof to pictures' })
    await face.waitFor()
    await page.getByText('300 × 200').waitFor()
    assert.deepEqual(await barriers(page), [])
    await face.click()
    for (const name of ['dawn.jpg', 'moonlight.jpg']) await page.getByRole('dialog').getByTitle(`demo/landscapes/${name}`).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByRole('button', { name: 'Save 2 new files' }).click()
    await page.getByText('2 files uploaded').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('button', { name: 'More for Proof' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.waitForURL(/\/edit\/demo\/landscapes\/forest\.jpg\?.*template=/)
    await page.getByRole('checkbox', { name: 'Black and white' }).waitFor()
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await page.getByRole('button', { name: 'More for Proof' }).click()
    await page.getByRole('menuitem', { name: 'Move to trash' }).click()
    await page.getByText('No templates yet').waitFor()
    assert.deepEqual(wrong, [])
    await context.close()
  },

  // An administrator makes a user, who then may not administrate; a token that is shown once, and a purge.
  async admin(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    await page.getByRole('link', { name: 'Administration' }).click()
    await page.getByText('The storage responds').waitFor()
    await page.getByText('Answers').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Username').fill('iris')
    await page.getByLabel('New password').fill('a long enough one')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('iris can log in now').waitFor()
    await page.getByRole('link', { name: 'API tokens' }).click()
    await page.getByLabel('Name').fill('Build')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('It is shown only once').waitFor()
    const secret = await page.locator('code').textContent()
    const answer = await fetch(`${server.url}/api/auth/me`, { headers: { Authorization: `Bearer ${secret}` } })
    assert.equal(answer.status, 200)
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('button', { name: 'Revoke Build' }).click()
    await page.getByText('The token is revoked').waitFor()
    assert.equal((await fetch(`${server.url}/api/auth/me`, { headers: { Authorization: `Bearer ${secret}` } })).status, 401)
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('button', { name: /user\.create/ }).first().click()
    await page.getByText('Request', { exact: true }).waitFor()
    await page.getByLabel('Action').fill('user')
    await page.waitForFunction(() => [...document.querySelectorAll('.action')].every((one) => one.textContent.startsWith('user.')))
    await page.getByRole('link', { name: 'Signing' }).click()
    await page.getByLabel('URL of a picture').fill(`${server.url}/unsafe/300x/a.jpg`)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('There is no signature').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Cache' }).click()
    await page.locator('label', { hasText: 'Everything' }).click()
    await page.getByRole('button', { name: 'Purge now' }).click()
    await page.getByText(/results? purged/).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Index' }).click()
    await page.getByRole('button', { name: 'Scan again' }).click()
    await page.getByText('done').waitFor()
    assert.deepEqual(wrong, [])
    await context.close()
    const other = await openTab(browser, server)
    await login(other.page, server, 'iris', 'a long enough one')
    assert.equal(await other.page.getByRole('link', { name: 'Administration' }).count(), 0, 'a user is offered to administrate')
    await other.page.goto(`${server.url}/admin/accounts`)
    await other.page.getByText('Your account may not open this page').waitFor()
    assert.deepEqual(other.wrong, [])
    await other.context.close()
  },

  async palette(browser, server) {
    const { page, wrong, context } = await openTab(browser, server)
    await login(page, server)
    const go = async (text, option) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(text)
      await page.getByRole('option', { name: option, selected: true }).waitFor()
      await page.keyboard.press('Enter')
    }
    await go('trash', 'Trash')
    await page.waitForURL(`${server.url}/trash`)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('moonl')
    await page.getByRole('option', { name: /moonlight\.jpg demo/ }).waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('option', { name: /moonlight\.jpg demo/ }).click()
    await page.waitForURL(/\/i\/.*moonlight\.jpg/)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.match(page.url(), /moonlight/)
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async everyPage(browser, server) {
    const found = []
    for (const kind of [{ colorScheme: 'dark' }, { colorScheme: 'light' }, { viewport: { width: 320, height: 640 }, hasTouch: true }]) {
      const { page, wrong, context } = await openTab(browser, server, kind)
      let inside = false
      for (const [name, one] of Object.entries(pages)) {
        if (!one.guest && !inside) await login(page, server)
        inside ||= !one.guest
        await page.evaluate((view) => localStorage.setItem('safelight.gallery', JSON.stringify({ view })), one.view ?? 'justified').catch(() => undefined)
        await page.goto(server.url + one.path)
        await page.waitForLoadState('networkidle')
        await one.do?.(page)
        for (const barrier of await barriers(page)) found.push(`${name} ${JSON.stringify(kind)} ${barrier}`)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (wide > 0) found.push(`${name} ${JSON.stringify(kind)} is ${wide} px too wide`)
      }
      found.push(...wrong)
      await context.close()
    }
    assert.deepEqual(found, [])
  },

  async budget(browser, server) {
    const { page, context } = await openTab(browser, server)
    await login(page, server)
    const fresh = await browser.newContext({ storageState: await context.storageState(), locale: 'en-US' })
    const tab = await fresh.newPage()
    const session = await fresh.newCDPSession(tab)
    await session.send('Network.enable')
    let bytes = 0
    const app = new Set()
    session.on('Network.responseReceived', ({ requestId, response, type }) => (type === 'Document' || response.url.includes('/app/')) && app.add(requestId))
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => (bytes += app.has(requestId) ? encodedDataLength : 0))
    await tab.goto(`${server.url}/f/demo/landscapes`)
    await tab.locator('[role=option] img').first().waitFor()
    await tab.waitForLoadState('networkidle')
    console.log(`  first view: ${Math.round(bytes / 1000)} kB in ${app.size} files`)
    assert.ok(bytes <= firstViewBudget, `the first view takes ${bytes} bytes, at most ${firstViewBudget} are allowed`)
    await context.close()
    await fresh.close()
  },
}

const browser = await startBrowser()
const server = await startServer({ demo: true, args: ['--guest'] })
let failed = 0
try {
  for (const [name, walk] of Object.entries(journeys)) {
    if (only && !only.split(',').includes(name)) continue
    const began = Date.now()
    try {
      await walk(browser, server)
      console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    } catch (error) {
      failed++
      console.log(`FAIL  ${name}\n${error.stack}`)
    }
  }
} finally {
  await browser.close()
  await server.stop()
}
process.exitCode = failed ? 1 : 0

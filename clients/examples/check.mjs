import assert from 'node:assert/strict'

const patience = 120_000

/** The server serves the variants of a family and nothing else. */
export async function checkFamily({ template, plain }) {
  const status = async (url) => (await fetch(url)).status
  const url = (choice) => template.replace('{choice}', choice)
  for (const choice of ['300w', '900w', '300w,webp', 'jpeg', '-']) assert.equal(await status(url(choice)), 200, choice)
  for (const choice of ['301w', '0300w', '1200w', '300w,600w', '2x', '300w,avif', 'webp,300w', 'high', '']) assert.equal(await status(url(choice)), 403, choice)
  const stolen = { policy: url('300w').replace('(300w', '(200w,300w'), operations: url('300w').replace('300x200', '400x200'), image: url('300w').replace(/[^/]+$/, 'b.jpg'), filter: url('300w').replace('300x200', '300x200/filters:blur(5)') }
  for (const [what, changed] of Object.entries(stolen)) assert.equal(await status(changed), 403, what)
  const [chosen, ordinary] = await Promise.all([url('600w'), plain(600)].map((u) => fetch(u)))
  assert.equal(chosen.headers.get('etag'), ordinary.headers.get('etag'), 'a family shares its results with ordinary URLs')
}

/** Opens a page and looks at its pictures: the right URLs, the right number of pixels, no shift, no secret. */
export async function checkPage(browser, site, { path, rendered }, density, pictures, secret) {
  const where = `${path} at ${density}x`
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: density })
  context.setDefaultTimeout(patience)
  try {
    const page = await context.newPage()
    const wrong = []
    const texts = []
    page.on('console', (message) => message.type() === 'error' && !message.location().url.endsWith('/favicon.ico') && wrong.push(message.text()))
    page.on('pageerror', (error) => wrong.push(error.stack))
    page.on('response', (response) => {
      if (response.status() >= 400) wrong.push(`${response.status()} ${response.url()}`)
      if (response.url().startsWith(site)) texts.push(response.text().catch(() => ''))
    })
    await page.addInitScript(watchShifts)
    await page.goto(site + path)
    if (rendered) {
      const html = await (await fetch(site + path)).text()
      for (const { alt, template } of pictures) {
        assert.ok(html.includes(alt), `${where}: ${alt} is not in the HTML`)
        for (const width of ['300w', '600w']) assert.ok(html.includes(template.replace('{choice}', width)), `${where}: the URL of ${width} of ${alt} is not in the HTML`)
      }
    }
    const shown = await within(page.evaluate(showAll, pictures.length), `${where}: not all pictures are shown`, wrong)
    assert.equal(shown.length, pictures.length, where)
    shown.forEach((image, i) => {
      const { template, width, height, alt } = pictures[i]
      assert.equal(image.alt, alt, where)
      assert.deepEqual([image.box.width, image.box.height], [width, height], `${where}: the box of ${alt}`)
      assert.deepEqual([image.pixels.width, image.pixels.height], [width * density, height * density], `${where}: pixels of ${image.url}`)
      assert.equal(image.url, template.replace('{choice}', `${width * density}w`), where)
    })
    const wider = shown[0].url.replace(/\/\d+w\//, '/1200w/')
    assert.equal((await fetch(wider)).status, 403, `${where}: ${wider}`)
    for (const text of await Promise.all(texts)) assert.ok(!text.includes(secret), `${where}: the page has the secret`)
    assert.equal(await page.evaluate(() => window.shifted), 0, `${where}: the page shifts`)
    assert.deepEqual(wrong, [], where)
  } finally {
    await context.close()
  }
}

const longest = 10 * 60_000

/** Returns what a promise does, or fails if it hangs. */
async function within(promise, message, wrong) {
  let timer
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error([message, ...wrong].join('\n'))), longest)))
  promise.catch(() => {})
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** In the page, before anything else: adds up how far its content shifts. */
function watchShifts() {
  window.shifted = 0
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shifted += entry.value))).observe({ type: 'layout-shift', buffered: true })
}

/** In the page: brings every picture into view and waits until it is there. */
async function showAll(count) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  let images = []
  while (images.length < count) {
    await frame()
    images = [...document.querySelectorAll('main img')]
  }
  const shown = []
  for (const image of images) {
    image.scrollIntoView({ block: 'center' })
    while (!image.complete || !image.currentSrc) await frame()
    const { width, height } = image.getBoundingClientRect()
    const file = new Image()
    file.src = image.currentSrc
    await file.decode()
    shown.push({ alt: image.alt, url: image.currentSrc, box: { width, height }, pixels: { width: file.naturalWidth, height: file.naturalHeight } })
  }
  await frame()
  return shown
}

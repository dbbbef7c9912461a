// PICTURES is a folder of pictures to show besides the demo's. Pictures of every page in dark, light and on a phone, to be looked at: web/screenshots/NAME-KIND.png
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pages } from './pages.mjs'
import { password, startBrowser, startServer } from './server.mjs'

const out = fileURLToPath(new URL('../screenshots/', import.meta.url))
const only = process.argv[2]
mkdirSync(out, { recursive: true })

const kinds = {
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 2, hasTouch: true, isMobile: true },
}

const server = await startServer({ demo: true, pictures: process.env.PICTURES ?? '' })
const browser = await startBrowser()
const said = []
try {
  for (const [kind, options] of Object.entries(kinds)) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce', locale: 'en-US' })
    const page = await context.newPage()
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && said.push(`${kind}: ${message.text()}`))
    page.on('pageerror', (error) => said.push(`${kind}: ${error.stack}`))
    let inside = false
    for (const [name, one] of Object.entries(pages)) {
      if (only && !only.split(',').includes(name)) continue
      if (!one.guest && !inside) {
        await page.goto(`${server.url}/login`)
        await page.getByLabel('Username').fill('admin')
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Log in' }).click()
        await page.waitForURL(`${server.url}/`)
        inside = true
      }
      await page.evaluate((view) => localStorage.setItem('safelight.gallery', JSON.stringify({ view, size: 200 })), one.view ?? 'justified').catch(() => undefined)
      await page.goto(server.url + one.path)
      await page.waitForLoadState('networkidle')
      await one.do?.(page)
      await page.waitForTimeout(400)
      await page.screenshot({ path: `${out}${name}-${kind}.png` })
    }
    await context.close()
  }
} finally {
  await browser.close()
  await server.stop()
}
for (const line of new Set(said)) console.log(line)

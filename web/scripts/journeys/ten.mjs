import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEditor, saveTemplate } from './desk.mjs'
import { stripes } from './paint.mjs'

export const names = Array.from({ length: 10 }, (_, i) => `shop-${i}.png`)
const grayOf = (i) => 20 + i * 22

/** Ten pictures: the left half of each has a gray of its own, the right half is blue. */
export function paint(files) {
  mkdirSync(join(files, 'shop'))
  names.forEach((name, i) => writeFileSync(join(files, 'shop', name), stripes(600, 400, [Array(3).fill(grayOf(i)), [0, 0, 255]])))
}

/** Pixels of a picture of the server, each [r, g, b], and its size. */
const pixels = (page, url, points) => page.evaluate(async ({ url, points }) => {
  const picture = await createImageBitmap(await (await fetch(url)).blob())
  const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
  context.drawImage(picture, 0, 0)
  return { size: [picture.width, picture.height], colors: points.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3)) }
}, { url, points })
const near = (color, wanted, what) => assert.ok(color.every((value, i) => Math.abs(value - wanted[i]) <= 8), `${what} is ${color}, expected ${wanted}`)

async function appliesToTen({ page, server }) {
  await openEditor(page, server, 'demo/landscapes/forest.jpg?p=300x200/filters:grayscale():image(300x40/color:ff0000,0,0)')
  await saveTemplate(page, 'Red band')
  await page.goto(`${server.url}/templates`)
  await page.getByRole('button', { name: 'Apply Red band to pictures' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Search').fill('shop')
  await dialog.getByTitle('demo/landscapes/dawn.jpg').waitFor({ state: 'detached' })
  for (const name of names) await dialog.getByTitle(`shop/${name}`).click()
  await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByRole('button', { name: 'Save 10 new files' }).click()
  await page.getByText('10 files uploaded', { exact: true }).waitFor()
  // The ten are there, each made of its own picture, and those are as they were.
  const session = await server.login()
  const { files } = await server.ask(session, '{ files(folder: "shop", first: 100) { totalCount nodes { name thumbnailUrls { original } } } }')
  assert.equal(files.totalCount, 20)
  const urls = new Map(files.nodes.map((node) => [node.name, new URL(node.thumbnailUrls.original, server.url).href]))
  for (const [i, name] of names.entries()) {
    const result = `shop-${i}-red-band.png`
    assert.ok(urls.has(result), `${result} is missing in ${[...urls.keys()]}`)
    const made = await pixels(page, urls.get(result), [[150, 20], [60, 120], [240, 120]])
    assert.deepEqual(made.size, [300, 200])
    near(made.colors[0], [255, 0, 0], `the band of ${result}`)
    near(made.colors[1], Array(3).fill(grayOf(i)), `the gray of ${result}`)
    near(made.colors[2], Array(3).fill(made.colors[2][0]), `what was blue in ${result}`)
    const source = await pixels(page, urls.get(name), [[480, 240]])
    assert.deepEqual([source.size, source.colors], [[600, 400], [[0, 0, 255]]])
  }
}
/** A template is saved in the editor and applied to ten pictures, whose pixels are looked at. */
export const templateForTen = { server: { prepare: paint }, walk: appliesToTen }

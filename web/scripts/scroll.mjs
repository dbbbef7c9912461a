// Scrolls through a library of FILES (1,000,000) in Chromium as a wheel does, for MINUTES (10), and reports elements, script a frame, frame
// times and memory, at full speed and with the processor throttled to a quarter. Only counts are held; times are reported.
import assert from 'node:assert/strict'
import { atTop, checkPlaces, checkReturn, footprint, lendPictures, maxElements, maxGrowth, scrollSteps } from './journeys/long.mjs'
import { openTab, settled, tile } from './journeys/tab.mjs'
import { paintDemo, startBrowser, startServer } from './server.mjs'

const files = Number(process.env.FILES ?? 1_000_000)
const minutes = Number(process.env.MINUTES ?? 10)
const speed = 3500

/** Scrolls by a wheel for so many pixels: 3,500 in a second. */
async function wheel(cdp, pixels) {
  await cdp.send('Input.synthesizeScrollGesture', { x: 700, y: 450, yDistance: -pixels, speed, gestureSourceType: 'mouse' })
}

// What runs scripts, at the top of the stack of the page's main thread.
const scripts = new Set(['FireAnimationFrame', 'EventDispatch', 'TimerFire', 'FunctionCall', 'EvaluateScript', 'RunMicrotasks', 'v8.callFunction'])

/** Milliseconds of script in each frame while `work` runs, and the longest tasks. */
async function trace(browser, page, work) {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString())
  const frames = traceEvents.filter(({ name }) => name === 'PrePaint').sort((a, b) => a.ts - b.ts)
  // The main thread that draws the page is the one with most frames.
  const threads = new Map()
  for (const { pid, tid } of frames) threads.set(`${pid} ${tid}`, (threads.get(`${pid} ${tid}`) ?? 0) + 1)
  const [main] = [...threads].sort((a, b) => b[1] - a[1])[0]
  const of = (event) => `${event.pid} ${event.tid}` === main
  const starts = frames.filter(of).map(({ ts }) => ts)
  const spent = new Float64Array(starts.length)
  let until = 0
  for (const { ts, dur } of traceEvents.filter((event) => of(event) && event.ph === 'X' && scripts.has(event.name)).sort((a, b) => a.ts - b.ts)) {
    const begin = Math.max(ts, until)
    until = Math.max(until, ts + dur)
    let frame = starts.findIndex((start) => start > begin) - 1
    if (frame === -2) frame = starts.length - 1
    if (frame >= 0 && until > begin) spent[frame] += (until - begin) / 1000
  }
  const tasks = traceEvents.filter((event) => of(event) && event.name === 'RunTask' && event.dur > 50_000).length
  const between = starts.slice(1).map((start, i) => (start - starts[i]) / 1000)
  return { frames: starts.length, script: summary(spent), between: summary(between), tasks }
}
function summary(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (part) => (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(1)
  return `median ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)} ms`
}

const demo = await paintDemo()
const began = Date.now()
const server = await startServer({ demo, files })
console.log(`${files} files in the index after ${Math.round((Date.now() - began) / 1000)} s`)
const browser = await startBrowser()
try {
  const session = await server.login()
  const { page, wrong } = await openTab(browser, server, { session })
  await lendPictures(page, server, session)
  const opened = Date.now()
  await page.goto(`${server.url}/search`)
  await tile(page, 0).locator('img.shown').waitFor()
  console.log(`first picture after ${Date.now() - opened} ms`)
  const cdp = await page.context().newCDPSession(page)
  for (const rate of [1, 4]) {
    await cdp.send('Emulation.setCPUThrottlingRate', { rate })
    const { frames, script, between, tasks } = await trace(browser, page, () => wheel(cdp, 20 * speed))
    console.log(`20 s at ${speed} px/s, ${rate === 1 ? 'full speed' : `${rate}x throttled`}: ${frames} frames, script in a frame ${script}; from frame to frame ${between}; ${tasks} tasks over 50 ms; top is file ${(await atTop(page)).index}`)
  }
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await settled(page)
  await checkPlaces(page, files)
  console.log('every place is reached at once, with its pictures')
  const { elements, jump } = await scrollSteps(page, 300, 240)
  console.log(`300 steps of 240 px: at most ${elements} elements, ${jump.toFixed(1)} px off`)
  assert.ok(elements <= maxElements && jump <= 2)
  await checkReturn(page, server)
  console.log('the place is found again after the viewer')
  const marks = []
  const start = Date.now()
  for (let minute = 1; minute <= minutes; minute++) {
    while (Date.now() - start < minute * 60_000) await wheel(cdp, 5 * speed)
    await settled(page)
    marks.push(await footprint(page))
    const { heap, nodes, listeners, elements } = marks.at(-1)
    console.log(`after ${minute} min: heap ${(heap / 1e6).toFixed(1)} MB, ${nodes} nodes, ${elements} elements, ${listeners} listeners, file ${(await atTop(page)).index}`)
  }
  const growth = marks.at(-1).heap / marks[0].heap
  console.log(`heap after ${minutes} min is ${growth.toFixed(2)} times that after one`)
  assert.ok(growth <= maxGrowth, `the heap grew ${growth} times`)
  assert.ok(marks.every((one) => one.elements <= maxElements))
  assert.deepEqual(wrong, [])
} finally {
  await browser.close()
  await server.stop()
  demo.remove()
}

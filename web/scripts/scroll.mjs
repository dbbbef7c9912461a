// Scrolls through a library of FILES (1,000,000) in Chromium for MINUTES (10), and reports elements, script a frame, frame
// times and memory, at full speed and with the processor throttled to a quarter. Only counts are held; times are reported. WEB_SEEDS
// keeps the index for the next time.
import assert from "node:assert/strict";
import { cpus, loadavg } from "node:os";
import {
  atTop,
  checkPlaces,
  checkReturn,
  footprint,
  lendPictures,
  maxElements,
  maxGrowth,
  scrollSteps,
  watchShapes,
} from "./journeys/long.mjs";
import { openTab, settled, tile } from "./journeys/tab.mjs";
import { paintDemo, startBrowser, startServer } from "./server.mjs";
import { summary, trace } from "./trace.mjs";

const files = Number(process.env.FILES ?? 1_000_000);
const minutes = Number(process.env.MINUTES ?? 10);
const speed = 3500;
const load = () => `${loadavg()[0].toFixed(1)} on ${cpus().length} cores`;

/** Scrolls by a wheel for so many pixels: 3,500 in a second. */
async function wheel(cdp, pixels) {
  await cdp.send("Input.synthesizeScrollGesture", {
    x: 700,
    y: 450,
    yDistance: -pixels,
    speed,
    gestureSourceType: "mouse",
  });
}

/** Scrolls by as much in every frame as at that speed in a sixtieth of a second, however long a frame takes here. */
const glide = (page, frames) =>
  page.evaluate(
    async ({ frames, pixels }) => {
      const view = document.querySelector(".view");
      // After the frame, when nothing waits for layout: reading the place costs nothing.
      for (let n = 0; n < frames; n++)
        await new Promise((resolve) =>
          requestAnimationFrame(() =>
            setTimeout(() => resolve((view.scrollTop += pixels))),
          ),
        );
    },
    { frames, pixels: speed / 60 },
  );

function report(what, { frames, cpu, wall, between, tasks, longest }) {
  console.log(
    `${what}, load ${load()}: ${frames} frames, ${tasks} tasks over 50 ms of the processor, the longest ${longest.toFixed(1)} ms`,
  );
  for (const [name, values] of Object.entries({
    "script in a frame, processor": cpu,
    "script in a frame, wall": wall,
    "frame to frame, wall": between,
  }))
    console.log(`  ${name}: ${summary(values)}`);
}

const demo = await paintDemo();
const began = Date.now();
const server = await startServer({ demo, files });
console.log(
  `${files} files in the index after ${Math.round((Date.now() - began) / 1000)} s`,
);
const browser = await startBrowser();
try {
  const session = await server.login();
  const { page, wrong } = await openTab(browser, server, { session });
  await lendPictures(page, server, session);
  const known = watchShapes(page);
  const opened = Date.now();
  await page.goto(`${server.url}/search`);
  await tile(page, 0).locator("img.shown").waitFor();
  console.log(`first picture after ${Date.now() - opened} ms`);
  const cdp = await page.context().newCDPSession(page);
  for (const rate of [1, 4]) {
    await cdp.send("Emulation.setCPUThrottlingRate", { rate });
    const at = rate === 1 ? "full speed" : `${rate}x throttled`;
    report(
      `900 frames of ${(speed / 60).toFixed(0)} px, ${at}`,
      await trace(browser, page, () => glide(page, 900)),
    );
    report(
      `20 s of wheel at ${speed} px/s, ${at}`,
      await trace(browser, page, () => wheel(cdp, 20 * speed)),
    );
    console.log(`  the top is file ${(await atTop(page)).index}`);
  }
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await settled(page);
  await checkPlaces(page, files, known);
  console.log("every place is reached at once, with its pictures");
  const { elements, jump } = await scrollSteps(page, 300, 240);
  console.log(
    `300 steps of 240 px: at most ${elements} elements, ${jump.toFixed(1)} px off`,
  );
  assert.ok(elements <= maxElements && jump <= 2);
  await checkReturn(page, server);
  console.log("the place is found again after the viewer");
  const marks = [];
  const start = Date.now();
  for (let minute = 1; minute <= minutes; minute++) {
    while (Date.now() - start < minute * 60_000) await wheel(cdp, 5 * speed);
    await settled(page);
    marks.push(await footprint(page));
    const { heap, nodes, listeners, elements } = marks.at(-1);
    console.log(
      `after ${minute} min: heap ${(heap / 1e6).toFixed(1)} MB, ${nodes} nodes, ${elements} elements, ${listeners} listeners, file ${(await atTop(page)).index}`,
    );
  }
  const growth = marks.at(-1).heap / marks[0].heap;
  console.log(
    `heap after ${minutes} min is ${growth.toFixed(2)} times that after one`,
  );
  assert.ok(growth <= maxGrowth, `the heap grew ${growth} times`);
  assert.ok(marks.every((one) => one.elements <= maxElements));
  assert.deepEqual(wrong, []);
} finally {
  await browser.close();
  await server.stop();
  demo.remove();
}

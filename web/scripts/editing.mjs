// Moves sliders of the editor over a photograph in Chromium, CHANGES (60) times, and reports how long the picture takes to follow: from
// the change to the first frame that shows it. PHOTO names a picture to edit instead of a painted one. Times are only reported.
import { copyFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { extname, join, resolve } from "node:path";
import { openTab } from "./journeys/tab.mjs";
import { paintDemo, startBrowser, startServer } from "./server.mjs";
import { summary } from "./trace.mjs";

const changes = Number(process.env.CHANGES ?? 60);
const sliders = {
  Brightness: "brightness",
  Contrast: "contrast",
  Saturation: "saturation",
};

/** Sets a slider in the page and waits for the first frame that has the picture with that filter. */
const change = (page, name, filter, value) =>
  page.getByRole("slider", { name, exact: true }).evaluate(
    async (slider, { value, part }) => {
      const frame = () =>
        new Promise((resolve) => requestAnimationFrame(resolve));
      const picture = () => document.querySelector("img[data-rendered]");
      const began = performance.now();
      slider.value = value;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      while (!picture()?.dataset.rendered.includes(part)) await frame();
      await picture().decode();
      await frame();
      return performance.now() - began;
    },
    { value: String(value), part: `${filter}(${value})` },
  );

const demo = await paintDemo();
const photo =
  process.env.PHOTO && resolve(process.env.INIT_CWD ?? "", process.env.PHOTO);
const path = photo ? `photo${extname(photo)}` : "demo/landscapes/dawn.jpg";
const server = await startServer({
  demo,
  prepare: photo && ((files) => copyFileSync(photo, join(files, path))),
});
const browser = await startBrowser();
try {
  const session = await server.login();
  const { page } = await openTab(browser, server, { session });
  await page.goto(`${server.url}/edit/${path}`);
  await page.locator("img[data-rendered]").waitFor();
  await page.waitForLoadState("networkidle");
  const names = Object.entries(sliders);
  const times = [];
  for (let i = 0; i < changes; i++) {
    const [name, filter] = names[i % names.length];
    times.push(await change(page, name, filter, 5 + (i % 40)));
  }
  console.log(
    `${changes} changes of ${path}, load ${loadavg()[0].toFixed(1)} on ${cpus().length} cores: ${summary(times)}`,
  );
} finally {
  await browser.close();
  await server.stop();
  demo.remove();
}

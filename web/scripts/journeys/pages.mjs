import assert from "node:assert/strict";
import { pages } from "../pages.mjs";
import { lendPictures } from "./long.mjs";
import { barriers, barriersInTheme, settled, smallTargets } from "./tab.mjs";

const firstViewBudget = 120_000;
const secondViewBudget = 25_000;

// Every page, every dialog: no barrier, nothing that is wider than the window, and under a finger nothing too small. A journey of a dark tab looks at the
// light theme as well, of the page that is open.
async function walk({ page, server, open, tab: { colorScheme, hasTouch } }) {
  const found = [];
  const outside = await open();
  await outside.goto(`${server.url}/login`);
  await page.goto(`${server.url}/me`);
  for (const [name, one] of Object.entries(pages)) {
    const tab = one.guest ? outside : page;
    await tab.evaluate(
      (view) =>
        localStorage.setItem("safelight.gallery", JSON.stringify({ view })),
      one.view ?? "justified",
    );
    await tab.goto(server.url + one.path);
    await settled(tab);
    await one.do?.(tab);
    await settled(tab);
    for (const barrier of await barriers(tab))
      found.push(`${name}: ${barrier}`);
    if (colorScheme) {
      for (const barrier of await barriersInTheme(tab, "light"))
        found.push(`${name}, light: ${barrier}`);
      await tab.emulateMedia({ colorScheme });
    }
    const wide = await tab.evaluate(
      () => document.documentElement.scrollWidth - innerWidth,
    );
    if (wide > 0) found.push(`${name} is ${wide} px too wide`);
    if (hasTouch)
      for (const target of await smallTargets(tab))
        found.push(`${name}: ${target}`);
  }
  assert.deepEqual(found, []);
}

const norway = { samples: true };
export const everyPage = {
  server: norway,
  tab: { colorScheme: "dark" },
  walk,
};
export const everyPageSmall = {
  server: norway,
  tab: { viewport: { width: 320, height: 640 }, hasTouch: true },
  walk,
};

// The longest texts in the narrowest window: nothing scrolls sideways but the strips that are made for it, and nothing is said in another language.
async function readsGerman({ page, server, open }) {
  const found = [];
  const outside = await open();
  await outside.goto(`${server.url}/login`);
  await page.goto(`${server.url}/me`);
  for (const [name, one] of Object.entries(pages)) {
    const tab = one.guest ? outside : page;
    await tab.goto(server.url + one.path);
    await settled(tab);
    const wrong = await tab.evaluate(() => {
      const strips = [...document.querySelectorAll("body *")].filter(
        (element) => {
          const { overflowX, scrollbarWidth } = getComputedStyle(element);
          return (
            /auto|scroll/.test(overflowX) &&
            scrollbarWidth !== "none" &&
            element.scrollWidth > element.clientWidth + 1
          );
        },
      );
      return [
        ...strips.map(
          (element) =>
            `${element.tagName} ${element.className} is ${element.scrollWidth - element.clientWidth} px too wide`,
        ),
        ...(/does not exist/.test(document.body.innerText) ? ["English"] : []),
      ];
    });
    found.push(...wrong.map((text) => `${name}: ${text}`));
    const wide = await tab.evaluate(
      () =>
        document.documentElement.scrollWidth -
        document.documentElement.clientWidth,
    );
    if (wide > 0) found.push(`${name} is ${wide} px too wide`);
  }
  assert.deepEqual(found, []);
}
export const everyPageGerman = {
  server: norway,
  tab: {
    viewport: { width: 320, height: 640 },
    hasTouch: true,
    isMobile: true,
    locale: "de-DE",
  },
  walk: readsGerman,
};

/** The name of a folder is read in a laptop's window; what is before it gives way. */
export const folderName = {
  server: norway,
  tab: { viewport: { width: 1280, height: 800 } },
  async walk({ page, server }) {
    await page.goto(`${server.url}/f/Journeys/Norway`);
    await page.getByText("3 pictures").first().waitFor();
    const { clientWidth, scrollWidth } = await page
      .locator("h1")
      .evaluate(({ clientWidth, scrollWidth }) => ({
        clientWidth,
        scrollWidth,
      }));
    assert.ok(
      scrollWidth <= clientWidth,
      `the name has ${clientWidth} of ${scrollWidth} px`,
    );
  },
};

async function weigh({ page, server }) {
  const session = await server.login();
  await lendPictures(page, server, session);
  // The first visit makes the server look at the pictures that its index does not have; what it finds is not news to the second.
  await page.goto(server.url);
  await page.locator("[role=option] img").first().waitFor();
  for (;;) {
    const { indexStatus } = await server.ask(
      session,
      "{ indexStatus { pendingFiles } }",
    );
    if (!indexStatus.pendingFiles) break;
    await settled(page);
  }

  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.clearBrowserCache");
  let counted = new Set();
  let bytes = 0;
  cdp.on(
    "Network.responseReceived",
    ({ requestId, type }) => type !== "Image" && counted.add(requestId),
  );
  cdp.on(
    "Network.loadingFinished",
    ({ requestId, encodedDataLength }) =>
      (bytes += counted.has(requestId) ? encodedDataLength : 0),
  );
  for (const [name, budget] of [
    ["first", firstViewBudget],
    ["second", secondViewBudget],
  ]) {
    await page.goto("about:blank");
    [counted, bytes] = [new Set(), 0];
    await page.goto(server.url);
    await page.locator("[role=option] img").first().waitFor();
    await settled(page);
    console.log(
      `      ${name} view: ${(bytes / 1000).toFixed(1)} kB in ${counted.size} answers`,
    );
    assert.ok(
      bytes <= budget,
      `the ${name} view takes ${bytes} bytes, at most ${budget} are allowed`,
    );
  }
}
/**
 * The first page with an empty cache, and again, as it comes over the wire: everything but the pictures, in a library that
 * fills a page of the list.
 */
export const budget = { server: { files: 2000 }, walk: weigh };

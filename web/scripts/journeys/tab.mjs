// A tab of a journey: what it remembers, and what is looked at in it. Nothing here waits for a time to pass; everything waits
// for a state, as long as it takes up to `patience`, which only ends what hangs.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
/** Milliseconds after which a state that does not come fails the journey. Long, so that a busy machine fails nothing. */
export const patience = Number(process.env.WEB_PATIENCE ?? 120_000);

// A refusal that the page shows in words is an error to the console all the same.
const expected = (message) =>
  /status of (401|403|404|409|415)/.test(message.text());
const streams = (request) => request.headers().accept === "text/event-stream";

/**
 * Opens a tab that remembers what must not happen, in it and in those that it opens. `session` is what localStorage keeps; without it
 * nobody is logged in. With `unwatched`, tabs that it opens may be of other sites.
 */
export async function openTab(
  browser,
  server,
  { session, unwatched = false, ...options } = {},
  wrong = [],
) {
  const { origin } = new URL(server.url);
  const storageState = session && {
    cookies: [],
    origins: [
      {
        origin,
        localStorage: [
          { name: "safelight.session", value: JSON.stringify(session) },
        ],
      },
    ],
  };
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    reducedMotion: "reduce",
    serviceWorkers: "block", // what it answers is not seen by a journey that holds up requests
    storageState,
    ...options,
  });
  context.setDefaultTimeout(patience);
  await context.addInitScript(keepToasts);
  await context.addInitScript(choosePlainly);
  if (!unwatched) context.on("page", (opened) => watch(opened, origin, wrong));
  const page = watch(await context.newPage(), origin, wrong);
  return { page, context, wrong };
}

// A note that goes away by itself after some seconds stays until the journey has read it, however slow the machine is.
function keepToasts() {
  const wait = window.setTimeout;
  window.setTimeout = (run, ms, ...rest) =>
    wait(run, ms >= 6000 && ms <= 10_000 ? 3_600_000 : ms, ...rest);
}

// Files are chosen by an input, which a journey can fill in; not by the choosers that remember them, which are the browser's own windows.
function choosePlainly() {
  delete window.showOpenFilePicker;
  delete window.showDirectoryPicker;
}

/** Remembers errors, requests to other hosts and what is under way in a page. */
export function watch(page, origin, wrong) {
  if (inFlight.has(page)) return page;
  // What a step waits for before it clicks is given up when the click fails; its rejection would end node.
  for (const name of [
    "waitForEvent",
    "waitForFunction",
    "waitForRequest",
    "waitForResponse",
    "waitForURL",
  ]) {
    const wait = page[name].bind(page);
    page[name] = (...args) => {
      const coming = wait(...args);
      coming.catch(() => undefined);
      return coming;
    };
  }
  page.on(
    "console",
    (message) =>
      message.type() === "error" &&
      !expected(message) &&
      wrong.push(`${message.text()} ${message.location().url}`),
  );
  page.on("pageerror", (error) => wrong.push(error.stack));
  page.on(
    "request",
    (request) =>
      !/^(data|blob):/.test(request.url()) &&
      new URL(request.url()).origin !== origin &&
      wrong.push(`asked ${request.url()}`),
  );
  const running = new Set();
  page.on("request", (request) => streams(request) || running.add(request));
  for (const ended of ["requestfinished", "requestfailed"])
    page.on(ended, (request) => running.delete(request));
  page.on(
    "framenavigated",
    (frame) => frame === page.mainFrame() && forget(running, page),
  );
  inFlight.set(page, running);
  return page;
}
const inFlight = new WeakMap();
// What the page before had asked for does not hold up the next one.
function forget(running, page) {
  for (const request of running)
    if (request.isNavigationRequest() || request.frame() !== page.mainFrame())
      running.delete(request);
}

/** Forgets what the browser reports in the console of a line that broke. */
export function forgetOutage(wrong) {
  wrong.splice(
    0,
    wrong.length,
    ...wrong.filter(
      (text) =>
        !/net::ERR_(EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_(RESET|CLOSED)|INTERNET_DISCONNECTED|SOCKET_NOT_CONNECTED|NETWORK_CHANGED)/.test(
          text,
        ),
    ),
  );
}

/** Waits until nothing is asked for and several frames in a row have brought nothing new. */
export async function settled(page, frames = 6) {
  const end = Date.now() + patience;
  for (
    let calm = 0;
    calm < frames;
    calm = inFlight.get(page).size ? 0 : calm + 1
  ) {
    if (Date.now() > end)
      throw new Error(
        `still under way: ${[...inFlight.get(page)].map((request) => request.url()).join(" ")}`,
      );
    await page.evaluate(
      () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => setTimeout(resolve)),
        ),
    );
  }
}

const accessibility = [
  "wcag2a",
  "wcag2aa",
  "wcag21a",
  "wcag21aa",
  "wcag22aa",
  "best-practice",
];

/** The rules of accessibility that a page breaks in the theme that it does not have now; only those of color depend on it. */
export async function barriersInTheme(page, colorScheme) {
  await page.emulateMedia({ colorScheme });
  // Colors that fade from one theme to the other have arrived.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((one) => one instanceof CSSTransition)
        .map((one) => one.finished),
    ),
  );
  return barriers(page, ["color-contrast", "link-in-text-block"]);
}

/** The rules of accessibility that a page breaks. In the debugger's world, for the policy admits no script but the application's. */
export async function barriers(page, rules = accessibility) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send(
    "Page.createIsolatedWorld",
    { frameId: frameTree.frame.id, worldName: "axe" },
  );
  await session.send("Runtime.evaluate", { expression: axeSource, contextId });
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    contextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? '')).slice(0, 3).join(' | ')))`,
  });
  await session.detach();
  return exceptionDetails ? [exceptionDetails.text] : result.value;
}

/** Fills in the login of the page that is open, and sends it. */
export async function logIn(page, username, password) {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

/** Uploads files into the folder that is open. */
export async function uploadFiles(page, files) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await (await chooser).setFiles(files);
}

/** Tile number n of the grid. */
export const tile = (page, n) => page.locator("[role=option]").nth(n);
/** Waits until the grid shows so many. */
export const tiles = (page, count) =>
  page.waitForFunction(
    (n) =>
      document.querySelectorAll("[role=listbox] [role=option]").length === n,
    count,
  );
/** Waits until the gallery shows its pictures, not only their places. */
export const pictures = (page) =>
  page.waitForFunction(() => {
    const all = [...document.querySelectorAll("[role=listbox] [role=option]")];
    return (
      all.length > 0 &&
      all.every((one) => one.getAttribute("aria-label") !== "Loading")
    );
  });

/**
 * The controls of a page that are too small for a finger. A control counts as large as the area in which a tap reaches it: with its
 * label, and with what is laid around it. Words are as wide as they are, a color as wide as its share, and a link in a sentence is as high as its lines. A layer
 * in the editor is as large as what it shows.
 */
export const smallTargets = (page, least = 44) =>
  page.evaluate((least) => {
    const controls =
      "button, a[href], input, select, textarea, summary, [role^=menuitem], [role=option]";
    const reached = (x, y) => {
      const there = document.elementFromPoint(x, y);
      return there?.closest("label")?.control ?? there?.closest(controls);
    };
    const inSentence = (element) =>
      getComputedStyle(element).display === "inline" &&
      [...element.parentElement.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.data.trim(),
      );
    const found = new Map();
    for (const element of document.querySelectorAll(controls)) {
      if (
        element.disabled ||
        element.closest("[inert], [aria-hidden=true], .move") ||
        !element.checkVisibility({ visibilityProperty: true }) ||
        inSentence(element)
      )
        continue;
      element.scrollIntoView({ block: "center", inline: "center" });
      const { x, y, width, height } = (
        element.closest("label") ?? element
      ).getBoundingClientRect();
      const [left, top] = [x + width / 2, y + height / 2];
      if (reached(left, top) !== element) continue; // covered, or only for screen readers
      const extent = (dx, dy) => {
        let n = 0;
        while (
          2 * n < least &&
          reached(left + dx * n, top + dy * n) === element
        )
          n++;
        return n - 1;
      };
      const wide = Math.max(width, extent(-1, 0) + extent(1, 0) + 1);
      const high = Math.max(height, extent(0, -1) + extent(0, 1) + 1);
      const words = element.textContent.trim();
      const narrow = words || element.closest(".swatches");
      if (high >= least - 1 && (narrow || wide >= least - 1)) continue;
      const name = element.ariaLabel ?? (words.slice(0, 40) || element.type);
      found.set(name, `${Math.round(wide)} x ${Math.round(high)}`);
    }
    return [...found].map(([name, size]) => `${name} is ${size} px`);
  }, least);

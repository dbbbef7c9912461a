// Lists that are too long for what looks at everything: their files are in the index only, and every thumbnail is the same picture.
import assert from "node:assert/strict";
import { mkdirSync, copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { barriers, settled, tile } from "./tab.mjs";

/** Elements that the page may have while somebody scrolls, whatever the list holds. */
export const maxElements = 1500;
/** How much the heap may grow from one look at it to a later one. */
export const maxGrowth = 1.5;

/** Answers every thumbnail of a file that only the index has with one real picture in its size. */
export async function lendPictures(page, server, session) {
  const { file } = await server.ask(
    session,
    '{ file(path: "demo/landscapes/dawn.jpg") { small: url(operations: { height: 240 }) medium: url(operations: { height: 480 }) large: url(operations: { height: 960 }) } }',
  );
  const bodies = new Map();
  for (const [size, url] of [
    ["x240", file.small],
    ["x480", file.medium],
    ["x960", file.large],
  ])
    bodies.set(
      size,
      Buffer.from(
        await (await fetch(new URL(url, server.url))).arrayBuffer(),
      ).toString("base64"),
    );
  // Not by page.route, with which Playwright turns the cache of the browser off.
  const cdp = await page.context().newCDPSession(page);
  cdp.on("Fetch.requestPaused", ({ requestId, request }) => {
    const size = /x(?:240|480|960)\b/.exec(request.url)?.[0];
    const answered = size
      ? cdp.send("Fetch.fulfillRequest", {
          requestId,
          responseCode: 200,
          responseHeaders: [{ name: "Content-Type", value: "image/jpeg" }],
          body: bodies.get(size),
        })
      : cdp.send("Fetch.continueRequest", { requestId });
    answered.catch(() => undefined); // the page has left
  });
  await cdp.send("Fetch.enable", {
    patterns: [{ urlPattern: "*/img???????.jpg*", resourceType: "Image" }],
  });
}

/** Makes a file that only the index has a real one, so that the viewer can open it. */
export function makeReal(server, path) {
  const file = join(server.data, "files", path);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(server.data, "files/demo/landscapes/dawn.jpg"), file);
}

/** The tile at the top of the view: its index, what it is called, and how far its top is from the view's; and how many tiles are seen. */
export const atTop = (page) =>
  page.evaluate(() => {
    const view = document.querySelector(".view").getBoundingClientRect();
    let best = null;
    let seen = 0;
    for (const one of document.querySelectorAll("[role=option]")) {
      const { top, bottom } = one.getBoundingClientRect();
      const index = Number(one.dataset.index);
      if (bottom > view.top + 1 && top < view.bottom) seen++;
      if (bottom > view.top + 1 && (!best || index < best.index))
        best = {
          index,
          name:
            one.getAttribute("aria-label") ??
            decodeURIComponent(one.pathname.split("/").pop()),
          offset: Math.round(top - view.top),
        };
    }
    return best && { ...best, seen };
  });

/** Elements of the page, its heap after a collection, and its listeners. */
export async function footprint(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  for (let i = 0; i < 2; i++) await cdp.send("HeapProfiler.collectGarbage");
  const { metrics } = await cdp.send("Performance.getMetrics");
  await cdp.detach();
  const of = (name) => metrics.find((one) => one.name === name).value;
  return {
    heap: of("JSHeapUsedSize"),
    nodes: of("Nodes"),
    listeners: of("JSEventListeners"),
    elements: await page.evaluate(
      () => document.getElementsByTagName("*").length,
    ),
  };
}

/**
 * Scrolls by so many pixels, a frame each, and says what was seen: the greatest number of elements, and by how many pixels a picture
 * was further from where the scrolling should have brought it.
 */
export const scrollSteps = (page, steps, pixels) =>
  page.evaluate(
    async ({ steps, pixels }) => {
      const view = document.querySelector(".view");
      const frame = () =>
        new Promise((resolve) => requestAnimationFrame(() => resolve()));
      const middle = () => {
        const box = view.getBoundingClientRect();
        return [...document.querySelectorAll("[role=option]")]
          .map((one) => [one.id, one.getBoundingClientRect().top])
          .find(([, top]) => top >= box.top);
      };
      const seen = { elements: 0, jump: 0 };
      for (let n = 0; n < steps; n++) {
        const [id, before] = middle();
        const place = view.scrollTop;
        view.scrollTop += pixels;
        const moved = view.scrollTop - place;
        await frame();
        await frame();
        const now = document.getElementById(id)?.getBoundingClientRect().top;
        if (now !== undefined)
          seen.jump = Math.max(seen.jump, Math.abs(before - moved - now));
        seen.elements = Math.max(
          seen.elements,
          document.getElementsByTagName("*").length,
        );
      }
      return seen;
    },
    { steps, pixels },
  );

/** Drags the scroll bar to a part of the way, from 0 to 1, and waits for the pictures there. */
export async function dragTo(page, part) {
  await page.evaluate((to) => {
    const view = document.querySelector(".view");
    view.scrollTop = to * (view.scrollHeight - view.clientHeight);
  }, part);
  await settled(page);
  await allLoaded(page);
}

/** Waits until every tile that the page has, in the view and around it, knows its picture. */
export const allLoaded = (page) =>
  page.waitForFunction(() =>
    [...document.querySelectorAll("[role=option]")].every(
      (one) => one.getAttribute("aria-label") !== "Loading",
    ),
  );

// The picture that is lent is the first one, and has been counted before.
const nameOf = (index) =>
  index ? `img${String(index - 1).padStart(7, "0")}.jpg` : "dawn.jpg";

const indexOf = (path) => Number(/img(\d{7})/.exec(path)?.[1] ?? -1) + 1;

/** The pages of a list whose shapes have become known, by their number; to be called before the list is opened. */
export function watchShapes(page) {
  const pages = new Set();
  page.on("response", async (answer) => {
    if (!/query Files\b/.test(answer.request().postData() ?? "")) return;
    const { data } = await answer.json().catch(() => ({}));
    for (const { path } of data?.files?.nodes ?? [])
      pages.add(Math.floor(indexOf(path) / pageSize));
  });
  return pages;
}
const pageSize = 100;
/** The share of height that pictures of bin/seed save, in rows of a tab's width, over those whose shape is not known: three of them fill a row. */
const saved = 0.28;

/** The file that a part of the scroll bar leads to. It is a part of the height: known files before the place make it a later one, those behind it an earlier one. */
function fileAt(part, count, known) {
  const before =
    [...known].filter((one) => one * pageSize < part * count).length * pageSize;
  return (
    part * count +
    saved * ((1 - part) * before - part * (known.size * pageSize - before))
  );
}

/** What has to hold of a list of so many files, whose names rise: every place is reached at once and shows what is there. `known` is of `watchShapes`. */
export async function checkPlaces(page, count, known) {
  for (const part of [0.5, 0.99, 1, 0.1, 0]) {
    const asked = [];
    const listen = (request) =>
      request.url().endsWith("/api/graphql") && asked.push(request.postData());
    page.on("request", listen);
    await dragTo(page, part);
    page.off("request", listen);
    const pages = asked.filter(
      (text) => /files\(/.test(text) && !/LookAtFolder/.test(text),
    ).length; // which is asked every 15 s
    assert.ok(pages <= 6, `a place at ${part} took ${pages} pages`);
    const top = await atTop(page);
    assert.equal(top.name, nameOf(top.index));
    // The ends scroll pixel by pixel, and nothing moves them.
    const expected =
      part % 1
        ? fileAt(part, count - top.seen, known)
        : part * (count - top.seen);
    const off = part % 1 ? 0.005 * count + top.seen : top.seen * part;
    assert.ok(
      Math.abs(top.index - expected) <= off,
      `at ${part} of ${count} files there is file ${top.index}, expected ${Math.round(expected)} and at most ${Math.round(off)} off`,
    );
    if (part === 1)
      await page
        .locator(`[role=option][aria-label="${nameOf(count)}"]`)
        .waitFor();
  }
}

/** From a place far down a page to the viewer and back: the same picture is at the same place. */
export async function checkReturn(page, server, address = "/search") {
  await dragTo(page, 0.37);
  const { index } = await atTop(page);
  const one = page.locator(`#item-${index + 9}`);
  const path = await one.evaluate((link) =>
    decodeURIComponent(new URL(link.href).pathname.slice("/i/".length)),
  );
  makeReal(server, path);
  await one.focus();
  await settled(page);
  const before = await atTop(page);
  await one.press("Enter");
  await page.locator("img[data-shown]").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL(server.url + address);
  await page.locator(`#item-${before.index}`).waitFor();
  await settled(page);
  const after = await atTop(page);
  assert.equal(
    after.name,
    before.name,
    `another picture is at the top of ${address} after the viewer`,
  );
  assert.ok(
    Math.abs(after.offset - before.offset) <= 2,
    `the picture at the top of ${address} was at ${before.offset}, and is at ${after.offset} after the viewer`,
  );
}

/** The timeline of so many files, whose names rise with the dates: the scroll bar and the scrubber lead anywhere, and back from the viewer. */
export async function checkTimeline(page, server, count) {
  await page.goto(`${server.url}/timeline`);
  await page.getByRole("option", { name: nameOf(count) }).waitFor();
  for (const part of [0.5, 1]) {
    await dragTo(page, part);
    const top = await atTop(page);
    // Newest first, after the one that is lent.
    assert.equal(
      Number(/\d+/.exec(top.name)[0]),
      count - top.index,
      `picture ${top.index} of the timeline is ${top.name}`,
    );
    assert.ok(
      Math.abs(top.index / count - part) < 0.01 + top.seen / count,
      `at ${part} of the timeline there is picture ${top.index} of ${count}`,
    );
    if (part === 1)
      await page.getByRole("option", { name: nameOf(1) }).waitFor();
  }
  await page.getByRole("slider", { name: "Go to a month" }).press("Home");
  await page.getByRole("slider", { name: "Go to a month" }).press("End");
  await page
    .getByRole("group", { name: "January 2012" })
    .getByRole("option")
    .first()
    .waitFor();
  await checkReturn(page, server, "/timeline");
}

async function scrolls({ page, server }) {
  const session = await server.login();
  await lendPictures(page, server, session);
  const known = watchShapes(page);
  await page.goto(`${server.url}/search`);
  await tile(page, 0).locator("img.shown").waitFor();
  await checkPlaces(page, 20_000, known);
  const seen = { elements: 0, jump: 0 };
  let first = null;
  for (let n = 0; n < 10; n++) {
    const { elements, jump } = await scrollSteps(page, 30, 240);
    seen.elements = Math.max(seen.elements, elements);
    seen.jump = Math.max(seen.jump, jump);
    await settled(page);
    if (n === 1) first = await footprint(page);
  }
  const last = await footprint(page);
  console.log(
    `      20,000 files: at most ${seen.elements} elements, ${seen.jump.toFixed(1)} px off, heap ${(first.heap / 1e6).toFixed(1)} to ${(last.heap / 1e6).toFixed(1)} MB, ${first.listeners} to ${last.listeners} listeners`,
  );
  assert.ok(
    seen.elements <= maxElements,
    `${seen.elements} elements while scrolling, expected at most ${maxElements}`,
  );
  assert.ok(
    seen.jump <= 2,
    `a picture jumped by ${seen.jump} px while scrolling`,
  );
  assert.ok(
    last.heap <= maxGrowth * first.heap,
    `the heap grew from ${first.heap} to ${last.heap} bytes`,
  );
  assert.ok(
    last.listeners <= maxGrowth * first.listeners,
    `${first.listeners} listeners became ${last.listeners}`,
  );
  assert.deepEqual(await barriers(page), []);
  await checkTimeline(page, server, 20_000);
  await page.goto(`${server.url}/search`);
  await tile(page, 0).locator("img.shown").waitFor();
  await checkReturn(page, server);
  for (const view of ["Squares", "List"]) {
    await page
      .getByRole("radio", { name: view, exact: true })
      .check({ force: true });
    await checkReturn(page, server);
  }
}
/** 20,000 files: the page stays small, nothing jumps, every place is reached at once, and is found again after the viewer, in each view and the timeline. */
export const longList = { server: { files: 20_000 }, walk: scrolls };

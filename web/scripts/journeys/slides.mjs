import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { handsOff, push, reach, write } from "./keys.mjs";
import { pdf, placed, tiff } from "./papers.mjs";
import { barriers, tile } from "./tab.mjs";

// Beside the pictures of the demo: a talk of three pages, a scan of two, and a picture that says where it was taken.
function papers(files) {
  mkdirSync(join(files, "papers"), { recursive: true });
  writeFileSync(join(files, "papers/scan.tif"), tiff([900, 600], [600, 900]));
  writeFileSync(
    join(files, "papers/talk.pdf"),
    pdf([595, 842], [842, 595], [400, 400]),
  );
  writeFileSync(
    join(files, "papers/there.jpg"),
    placed(
      readFileSync(join(files, "demo/landscapes/dawn.jpg")),
      [59.91273, 10.74609],
    ),
  );
}
const server = { args: ["--pdf", "--guest"], prepare: papers };
const sharp = (page) => page.locator("img[data-shown]").last().waitFor();
const ratio = (page, wanted) =>
  page.waitForFunction((wanted) => {
    const all = [...document.querySelectorAll("img[data-shown]")];
    return (
      all.length === 1 &&
      Math.abs(all[0].naturalWidth / all[0].naturalHeight - wanted) < 0.02
    );
  }, wanted);
const full = (page, is) =>
  page.waitForFunction((is) => Boolean(document.fullscreenElement) === is, is);
const clipboard = (page, wanted) =>
  page.waitForFunction(
    async (wanted) => (await navigator.clipboard.readText()) === wanted,
    wanted,
  );

/** A slideshow and full screen, with a clock that the journey moves. */
async function shows({ page, server }) {
  await page.clock.install();
  const fetched = [];
  page.on("request", (request) => fetched.push(request.url()));
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tile(page, 0).locator("img.shown").waitFor();
  await tile(page, 0).focus();
  const ahead = page.waitForResponse((answer) =>
    /\/1600x0\/.*\/forest\.jpg/.test(answer.url()),
  );
  await page.keyboard.press("Enter");
  await sharp(page);
  await page.getByText("1 of 3").waitFor();
  const first = page.url();
  await page.getByRole("button", { name: "Slideshow", exact: true }).click();
  const bar = page.getByRole("group", { name: "Slideshow" });
  await bar.getByLabel("Time for each picture").selectOption("60");
  assert.deepEqual(await barriers(page), []);
  // The next picture was fetched in its size before: it is there at once, without another request for it.
  const next = (await ahead).url();
  await page.clock.fastForward(61_000);
  await page.getByText("2 of 3").waitFor();
  await sharp(page);
  await page.waitForFunction(
    (next) =>
      [...document.querySelectorAll("img[data-shown]")].some(
        (image) => image.src === next,
      ),
    next,
  );
  assert.equal(
    fetched.filter((one) => one === next).length,
    1,
    "the next picture was fetched twice",
  );
  // What lies on the picture fades out, and a key brings it back.
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(400, 300);
  await page.clock.fastForward(3000);
  await page.locator(".area.idle").waitFor();
  await page.keyboard.press("Shift");
  await page.locator(".area:not(.idle)").waitFor();
  // Nobody sees the tab: it waits.
  await hide(page, true);
  await page.clock.fastForward(600_000);
  await page.getByText("2 of 3").waitFor();
  await hide(page, false);
  await page.clock.fastForward(61_000);
  await page.getByText("3 of 3").waitFor();
  await sharp(page);
  await wake(page);
  await bar.getByRole("button", { name: "Repeat" }).click();
  await page.clock.fastForward(61_000);
  await page.getByText("1 of 3").waitFor();
  assert.equal(page.url(), first);
  await sharp(page);
  await wake(page);
  await bar.getByRole("button", { name: "Repeat" }).click();
  for (const place of ["2 of 3", "3 of 3"]) {
    await page.clock.fastForward(61_000);
    await page.getByText(place).waitFor();
    await sharp(page);
  }
  // Without repeating it ends at the last one.
  await page.clock.fastForward(61_000);
  await bar.waitFor({ state: "detached" });
  await page.getByText("3 of 3").waitFor();
  // Full screen: Escape stops the slideshow, then leaves it, then the viewer.
  await page.keyboard.press("f");
  await full(page, true);
  await page.keyboard.press("s");
  await bar.waitFor();
  assert.equal(
    await bar.getByLabel("Time for each picture").inputValue(),
    "60",
    "the interval is forgotten",
  );
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  await full(page, true);
  await page.keyboard.press("Escape");
  await full(page, false);
  await page.getByRole("button", { name: "Full screen" }).click();
  await full(page, true);
  await page.getByRole("button", { name: "Leave full screen" }).click();
  await full(page, false);
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/f\/demo\/landscapes/);
}
export const slideshow = { walk: shows };

// The clock of the journey has moved on: what lies on the picture is gone until somebody moves.
async function wake(page) {
  await page.mouse.move(400 + Math.random() * 100, 300);
  await page.locator(".area:not(.idle)").waitFor();
}

function hide(page, hidden) {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", {
      value: hidden,
      configurable: true,
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

/** Pages, an animation and the panel, by keys alone. */
async function turns({ page: mouse, context, server }) {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: new URL(server.url).origin,
  });
  const page = handsOff(mouse);
  await page.goto(`${server.url}/i/papers/talk.pdf`);
  await sharp(page);
  await ratio(page, 595 / 842);
  await page.keyboard.press("PageDown");
  await page.waitForURL(/page=2/);
  await ratio(page, 842 / 595);
  assert.equal(
    await page.getByLabel("Page", { exact: true }).last().inputValue(),
    "2",
  );
  await page.keyboard.press("i");
  await page.getByRole("heading", { name: "Use this picture" }).waitFor();
  await page.waitForFunction(() =>
    document
      .querySelector("pre")
      .textContent.includes("/filters:page(2):max_age(300)/"),
  );
  await page.getByText("842 × 595").waitFor();
  const url = await page.locator("pre").textContent();
  assert.equal(
    (await fetch(url)).headers.get("content-type"),
    "image/png",
    url,
  );
  // The colors are those of the page: it is green.
  await reach(page, page.getByRole("button", { name: "Copy #19b319" }));
  await page.keyboard.press("Enter");
  await clipboard(page, "#19b319");
  await push(page, page.getByRole("button", { name: "Copy: SHA-256" }));
  await page.waitForFunction(async () =>
    /^[0-9a-f]{64}$/.test(await navigator.clipboard.readText()),
  );
  assert.deepEqual(await barriers(mouse), []);
  // A page by its number, and no further than the last one.
  await write(
    page,
    page.getByRole("textbox", { name: "Page", exact: true }),
    "99",
  );
  await page.keyboard.press("Enter");
  await page.waitForURL(/page=3/);
  await ratio(page, 1);
  await write(
    page,
    page.getByRole("textbox", { name: "Page", exact: true }),
    "98",
  );
  await page.keyboard.press("Enter");
  await mouse.waitForFunction(
    () => document.querySelector(".stepper input").value === "3",
  );
  await page.goto(`${server.url}/i/papers/scan.tif`);
  await sharp(page);
  await ratio(page, 1.5);
  await push(page, page.getByRole("button", { name: "Next page" }));
  await page.waitForURL(/page=2/);
  await ratio(page, 2 / 3);
  // Zoomed, the page's own pixels come.
  await page.keyboard.press("z");
  await page.waitForFunction(() =>
    /100/.test(document.querySelector(".percent").textContent),
  );
  await page.keyboard.press("z");
  await page.keyboard.press("PageUp");
  await page.waitForURL((address) => !address.search.includes("page"));
  // To the next picture: the page is not taken along. It says where it was taken.
  await page.keyboard.press("PageDown");
  await page.waitForURL(/page=2/);
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/talk\.pdf$/);
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/there\.jpg$/);
  await page.keyboard.press("i");
  await push(page, page.getByRole("button", { name: "Copy: Location" }));
  await clipboard(page, "59.91273, 10.74609");
  await push(page, page.getByRole("link", { name: "Find this color" }));
  await page.waitForURL(/\/search\?q=color%3A[0-9a-f]{6}/);
}
export const documents = { server, walk: turns };

async function offers({ page, server }) {
  await page.goto(`${server.url}/i/papers/scan.tif?info=1`);
  const snippet = (text) =>
    page.waitForFunction(
      (part) => document.querySelector("pre")?.textContent.includes(part),
      text,
    );
  await snippet("scan.tif");
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  await page.route("**/api/graphql", async (route) => {
    if (/query FileForUse/.test(route.request().postData() ?? "")) await held;
    await route.fallback();
  });
  await page.keyboard.press("PageDown");
  await page.waitForURL(/page=2/);
  await ratio(page, 2 / 3);
  assert.equal(await page.locator("pre").textContent(), "");
  assert.equal(
    await page.getByRole("button", { name: "Copy", exact: true }).isDisabled(),
    true,
  );
  letGo();
  await snippet("page(2)");
  await page.unroute("**/api/graphql");
}
/** The panel offers nothing of the page before while it asks about the next one. */
export const panelFollows = { server, walk: offers };

async function overtakes({ page, server }) {
  await page.goto(`${server.url}/i/papers/talk.pdf`);
  await sharp(page);
  let letGo, asked;
  const held = new Promise((resolve) => (letGo = resolve));
  const again = new Promise((resolve) => (asked = resolve));
  await page.route("**/api/graphql", async (route) => {
    const sent = route.request().postData() ?? "";
    if (/query ViewedFile/.test(sent) && sent.includes("talk.pdf")) {
      asked();
      await held;
    }
    await route.fallback();
  });
  await server.ask(
    await server.login(),
    "mutation($input: UpdateFileInput!) { updateFile(input: $input) { userErrors { code } } }",
    { input: { path: "papers/talk.pdf", tags: ["talk"] } },
  );
  await again;
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/there\.jpg$/);
  await sharp(page);
  const late = page.waitForResponse((answer) =>
    /talk\.pdf/.test(answer.request().postData() ?? ""),
  );
  letGo();
  await (await late).finished();
  await page.keyboard.press("i");
  await page.getByRole("button", { name: "Copy: Location" }).waitFor();
  await page.unroute("**/api/graphql");
}
/** A late answer about the picture before does not take the place of the one that is seen. */
export const lateAnswer = { server, walk: overtakes };

/** An animation plays, stands still at the frame that was seen, and goes on; for whom less motion is wanted it waits. */
async function plays({ page, server, open }) {
  await page.goto(`${server.url}/i/demo/animated/orbit.gif`);
  await sharp(page);
  const playing = await page.locator("img[data-shown]").getAttribute("src");
  assert.doesNotMatch(playing, /page\(/);
  await page.keyboard.press("p");
  await page.waitForURL(/page=\d+/);
  const frame = Number(new URL(page.url()).searchParams.get("page"));
  await page.waitForFunction(
    (frame) =>
      document
        .querySelector("img[data-shown]")
        .getAttribute("src")
        .includes(`page(${frame})`),
    frame,
  );
  const still = await page.locator("img[data-shown]").getAttribute("src");
  const bytes = Buffer.from(
    await (await fetch(server.url + still)).arrayBuffer(),
  );
  assert.equal(bytes.includes("ANMF"), false, "the frame moves");
  await page.keyboard.press(frame > 1 ? "PageUp" : "PageDown");
  await page.waitForURL(
    (address) =>
      Number(address.searchParams.get("page")) === (frame > 1 ? frame - 1 : 2),
  );
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Play animation" }).click();
  await page.waitForFunction(
    (playing) =>
      document.querySelector("img[data-shown]").getAttribute("src") === playing,
    playing,
  );
  const calm = await open({ same: true });
  await calm.emulateMedia({ reducedMotion: "reduce" });
  await calm.goto(`${server.url}/i/demo/animated/orbit.gif`);
  await sharp(calm);
  assert.match(
    await calm.locator("img[data-shown]").getAttribute("src"),
    /page\(1\)/,
  );
  await calm.keyboard.press("p");
  await calm.waitForFunction(
    (playing) =>
      document.querySelector("img[data-shown]").getAttribute("src") === playing,
    playing,
  );
  // So do the small pictures of it, in a list and of its folder.
  for (const [tab, moves] of [
    [page, true],
    [calm, false],
  ]) {
    for (const [address, image] of [
      ["/f/demo/animated", "[role=option] img.shown"],
      ["/f/demo", '[data-folder="demo/animated"] .face img'],
    ]) {
      await tab.goto(server.url + address);
      await tab.locator(image).first().waitFor();
      assert.equal(
        /page\(1\)/.test(await tab.locator(image).first().getAttribute("src")),
        !moves,
        `${address} ${moves ? "stands still" : "moves"}`,
      );
    }
  }
}
export const animation = {
  tab: { reducedMotion: "no-preference" },
  walk: plays,
};

/** A guest sees the picture too, with its facts, and may take the original. */
async function looks({ page, server }) {
  await page.goto(server.url);
  await page.getByRole("button", { name: "Look around as a guest" }).click();
  await page.getByRole("link", { name: "Library" }).waitFor();
  await page.goto(`${server.url}/i/papers/there.jpg?info=1`);
  await sharp(page);
  await page.getByText("59.91273, 10.74609").waitFor();
  await page.locator(".swatches button").nth(1).waitFor();
  const original = await page
    .getByRole("link", { name: "Download the original" })
    .getAttribute("href");
  assert.equal((await fetch(server.url + original)).status, 200);
  assert.equal(await page.getByRole("button", { name: "Favorite" }).count(), 0);
  await page.goto(`${server.url}/i/papers/talk.pdf?page=2`);
  await ratio(page, 842 / 595);
}
export const guestViews = { as: null, server, walk: looks };

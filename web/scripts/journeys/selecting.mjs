import assert from "node:assert/strict";
import { handsOff, push, reach } from "./keys.mjs";
import {
  forgetOutage,
  pictures,
  settled,
  tile,
  tiles,
  uploadFiles,
} from "./tab.mjs";

const current = '[role=option][tabindex="0"]';

async function leavesTheBar({ page: whole, server }) {
  const page = handsOff(whole);
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  const bar = page.getByRole("toolbar", { name: "Selection" });
  const rate = page.getByRole("button", { name: "Rate" });
  const inPictures = () =>
    whole.waitForFunction(
      () => document.activeElement?.getAttribute("role") === "option",
    );
  const select = async () => {
    await reach(page, page.locator(current));
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor();
  };
  // A menu closes first, and leaves the focus where it was opened; then the selection goes, and the pictures have the focus again.
  await select();
  await push(page, rate);
  await page.getByRole("menuitem", { name: "Favorite", exact: true }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.getByText("1 selected").waitFor();
  await reach(page, rate); // it has the focus: a Tab would lead past it
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  await inPictures();
  // So does a dialog.
  await select();
  await push(page, page.getByRole("button", { name: "Tag", exact: true }));
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  await inPictures();
  // And the buttons that end a selection.
  await select();
  await push(page, page.getByRole("button", { name: "Clear selection" }));
  await bar.waitFor({ state: "detached" });
  await inPictures();
  await select();
  await push(page, bar.getByRole("button", { name: "Move to trash" }));
  await tiles(page, 2);
  await inPictures();
  await page.keyboard.press("Control+z");
  await tiles(page, 3);
  assert.equal(await bar.count(), 0);
}
/** Escape in the bar of a selection: the menu or the dialog, then the selection; the focus is never lost. */
export const escapeFromSelection = { walk: leavesTheBar };

async function opensByKey({ page: whole, server }) {
  const page = handsOff(whole);
  const sorted = page.getByRole("button", { name: "Sorted by" });
  for (const key of ["Enter", "ArrowDown", "Space"]) {
    await page.goto(`${server.url}/f/demo/landscapes`);
    await tiles(page, 3);
    // The first time its menu has still to be loaded, the second time it is here: both begin at the first line and end at the button.
    for (let times = 0; times < 2; times++) {
      await reach(page, sorted);
      await page.keyboard.press(key);
      await whole.waitForFunction(() =>
        document.activeElement?.matches(
          "[role=menu] [role^=menuitem]:first-child",
        ),
      );
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
      await whole.waitForFunction(
        () => document.activeElement?.getAttribute("aria-haspopup") === "menu",
      );
    }
  }
}
/** A menu by key: it begins at its first line, and leaves the focus where it was opened. */
export const menuByKey = { walk: opensByKey };

async function missesItsChunk({ page, server, wrong }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await page.evaluate(() => (window.kept = true));
  await page.route("**/app/*-MenuList.js", (route) =>
    route.abort("connectionreset"),
  );
  const sorted = page.getByRole("button", { name: "Sorted by" });
  const failed = page.waitForEvent("requestfailed", (request) =>
    /-MenuList\.js/.test(request.url()),
  );
  await sorted.hover();
  await failed;
  await settled(page);
  assert.equal(
    await page.evaluate(() => window.kept),
    true,
    "a pointer that passes by loads the page again",
  );
  await page.unroute("**/app/*-MenuList.js");
  await sorted.click(); // opens it, or loads the page again where the browser remembers the failure
  await page.waitForFunction(
    () => !window.kept || document.querySelector("[role=menu]"),
  );
  await pictures(page);
  forgetOutage(wrong);
}
/** A menu whose chunk does not come: nothing happens for a pointer that passes by, and a click finds a way. */
export const menuWithoutChunk = { walk: missesItsChunk };

// Where things are that must not cover each other; null for what is not there.
const places = (page) =>
  page.evaluate(() => {
    const box = (selector) => {
      const element = document.querySelector(selector);
      const { left, right, top, bottom } =
        element?.getBoundingClientRect() ?? {};
      return element && right > left ? { left, right, top, bottom } : null;
    };
    return {
      bar: box("[role=toolbar]"),
      note: box(".toast"),
      tray: box('aside[aria-label="Uploads"]'),
      foot: box(".side > nav:last-child"),
      tabs: box(".tabs"),
    };
  });
const overlap = (a, b) =>
  a &&
  b &&
  a.left < b.right &&
  b.left < a.right &&
  a.top < b.bottom &&
  b.top < a.bottom;

async function leavesRoom({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  const pick = () =>
    tile(page, 0).locator("[data-pick]").click({ force: true });
  await pick();
  await page.getByRole("button", { name: "Move to trash" }).click();
  await page.getByText("1 picture moved to trash").waitFor();
  await pick();
  await page.getByText("1 selected").waitFor();
  await settled(page);
  const wrong = [];
  const look = async (pairs) => {
    for (const [width, height] of [
      [1440, 900],
      [1024, 700],
      [800, 700],
      [390, 780],
      [320, 640],
    ]) {
      await page.setViewportSize({ width, height });
      await settled(page);
      const found = await places(page);
      for (const [a, b] of pairs)
        if (overlap(found[a], found[b]) && (width > 1020 || b !== "foot"))
          wrong.push(`${a} covers ${b} at ${width}`);
      if (
        found.bar.left < 0 ||
        found.bar.right > width ||
        found.bar.right - found.bar.left < 280
      )
        wrong.push(
          `the bar is from ${found.bar.left} to ${found.bar.right} at ${width}`,
        );
    }
  };
  await look([
    ["note", "foot"],
    ["note", "bar"],
    ["note", "tabs"],
    ["bar", "tabs"],
  ]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("status").getByRole("button", { name: "Close" }).click();
  await uploadFiles(page, [
    {
      name: "no-picture.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("no picture"),
    },
  ]);
  await page
    .getByRole("complementary", { name: "Uploads" })
    .getByText("no-picture.txt", { exact: true })
    .waitFor();
  await look([
    ["tray", "bar"],
    ["tray", "tabs"],
  ]);
  assert.deepEqual(wrong, []);
}
/** The bar of a selection, a note and the uploads lie beside each other, in windows of all widths. */
export const roomForAll = { walk: leavesRoom };

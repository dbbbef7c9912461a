import assert from "node:assert/strict";
import { allLoaded, lendPictures } from "./long.mjs";
import { barriers } from "./tab.mjs";

const count = 100_000;
const month = new Intl.DateTimeFormat("en-US", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
// When file i was taken, as scripts/seed says.
const monthOf = (i) =>
  month.format(
    new Date((1325419200 + Math.trunc((i * 315532800) / count)) * 1000),
  );

/** Waits until a month is in the view and every tile in the view shows its own picture; returns the months with the names of their tiles. */
async function shows(page, wanted) {
  const shown = page.waitForFunction((name) => {
    const view = document.querySelector(".view").getBoundingClientRect();
    const inside = (one) => {
      const box = one.getBoundingClientRect();
      return box.bottom > view.top + 1 && box.top < view.bottom - 1;
    };
    const months = [...document.querySelectorAll(".view [role=group]")]
      .map((group) => ({
        month: group.getAttribute("aria-label"),
        tiles: [...group.querySelectorAll("[role=option]")]
          .filter(inside)
          .map((one) => ({
            name: one.getAttribute("aria-label"),
            src: one.querySelector("img.shown")?.src ?? "",
          })),
      }))
      .filter(({ tiles }) => tiles.length);
    const whole = months.every(({ tiles }) =>
      tiles.every(({ name: file, src }) => src.includes(`/${file}`)),
    );
    return whole && months.some((one) => one.month === name)
      ? months.map((one) => ({
          month: one.month,
          names: one.tiles.map((tile) => tile.name),
        }))
      : null;
  }, wanted);
  const handle = await shown.catch(async (error) => {
    const groups = await page.locator(".view [role=group]").all();
    const names = await Promise.all(
      groups.map((group) => group.getAttribute("aria-label")),
    );
    throw new Error(`expected ${wanted} whole, there is ${names.join(", ")}`, {
      cause: error,
    });
  });
  const months = await handle.jsonValue();
  for (const { month: shown, names } of months)
    for (const name of names)
      assert.equal(
        monthOf(Number(/\d{7}/.exec(name)?.[0])),
        shown,
        `${name} is not of ${shown}`,
      );
  return months;
}

async function scrubsFar({ page, server }) {
  await lendPictures(page, server, await server.login());
  const perMonth = new Map();
  for (let i = 0; i < count; i++)
    perMonth.set(monthOf(i), (perMonth.get(monthOf(i)) ?? 0) + 1);
  await page.goto(`${server.url}/timeline`);
  const scrubber = page.getByRole("slider", { name: "Go to a month" });
  const says = async (name) => {
    const wanted = `${name}, ${perMonth.get(name)} pictures`;
    await page
      .waitForFunction(
        (text) =>
          document
            .querySelector("[role=slider][aria-orientation]")
            ?.getAttribute("aria-valuetext") === text,
        wanted,
      )
      .catch(async (error) => {
        const said = await scrubber.getAttribute("aria-valuetext");
        throw new Error(`the scrubber says ${said}, not ${wanted}`, {
          cause: error,
        });
      });
  };
  await page.getByRole("group", { name: "December 2021" }).first().waitFor();
  const box = await scrubber.boundingBox();
  const [x, y] = [box.x + box.width / 2, (part) => box.y + box.height * part];
  const label = page.locator(".scrubber .label b");

  // With the mouse to the middle, and so slowly that the pictures of months come meanwhile, which makes them lower.
  await page.mouse.move(x, y(0.02));
  await page.mouse.down();
  for (const part of [0.1, 0.2, 0.3, 0.4, 0.48, 0.5]) {
    await page.mouse.move(x, y(part));
    await allLoaded(page);
  }
  const middle = await label.textContent();
  assert.match(middle, /201[67]$/, "the middle of ten years");
  await page.mouse.up();
  await shows(page, middle);
  assert.deepEqual(await barriers(page), []);

  // To the end, which is below the scrubber.
  await page.mouse.down();
  await page.mouse.move(x, y(0.9));
  await page.mouse.move(x, box.y + box.height + 20);
  assert.equal(await label.textContent(), "January 2012");
  await page.mouse.up();
  const last = await shows(page, "January 2012");
  assert.equal(last.at(-1).names.at(-1), "img0000000.jpg");

  // By the keyboard: a year with a key, a month with another.
  await scrubber.press("Home");
  await page.waitForFunction(
    () => document.querySelector(".view").scrollTop === 0,
  );
  await page.keyboard.press("ArrowDown");
  await says("December 2021");
  const first = await shows(page, "December 2021");
  assert.equal(first[0].names[0], `img00${count - 1}.jpg`);
  for (let year = 2020; year >= 2017; year--) {
    await page.keyboard.press("PageDown");
    await says(`December ${year}`);
  }
  await shows(page, "December 2017");
  // What comes of the month above moves nothing.
  await allLoaded(page);
  await page.keyboard.press("ArrowRight");
  await says("November 2017");
  await page.keyboard.press("End");
  await says("January 2012");
  await shows(page, "January 2012");
  await page.keyboard.press("ArrowUp");
  await says("February 2012");
  await shows(page, "February 2012");
}
/** 100,000 files of ten years: mouse and keys lead to months in the middle and at the end, which show their own pictures. */
export const scrub = { server: { files: count }, walk: scrubsFar };

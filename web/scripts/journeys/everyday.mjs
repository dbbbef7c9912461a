// Small things that people who use the application every day do without looking, and what must not surprise them then.
import assert from "node:assert/strict";
import { pictures, settled, tile, tiles } from "./tab.mjs";

/** The name of the picture or button that has the focus. */
const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");

/** Keys work in the viewer after its menu, however that was closed. */
export async function keysAfterMenu({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tile(page, 0).click();
  await page.getByText("1 of 3").waitFor();
  const more = page.getByRole("button", { name: "More", exact: true });
  const menu = page.getByRole("menu");
  await more.click();
  await menu.waitFor();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  assert.equal(await focused(page), "More");
  await page.keyboard.press("ArrowRight");
  await page.getByText("2 of 3").waitFor();
  await page.keyboard.press("3");
  await page.getByRole("img", { name: "3 stars" }).waitFor();
  await more.click();
  await menu.waitFor();
  await page.mouse.click(600, 500);
  await menu.waitFor({ state: "detached" });
  await page.keyboard.press("ArrowLeft");
  await page.getByText("1 of 3").waitFor();
}

/** What is typed into the search is not searched where one has gone back to before the pause after the last key. */
export async function searchGoneBack({ page, server }) {
  await page.goto(`${server.url}/f/demo`);
  const card = page.getByRole("link", { name: "landscapes" }).last();
  await card.click();
  await page.waitForURL(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await page.getByRole("combobox").fill("dawn");
  await page.goBack();
  await page.waitForURL(`${server.url}/f/demo`);
  await card.waitFor();
  await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
  await page.getByRole("combobox").blur();
  await settled(page);
  assert.equal(page.url(), `${server.url}/f/demo`);
  assert.equal(await page.getByRole("combobox").inputValue(), "");
}

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

/** After F2 the focus is on the picture that was renamed, where it stands now, and Delete removes that one. */
export async function focusAfterRename({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("F2");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("zenith");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction(
    () => document.activeElement.id === "item-2", // after forest and moonlight
  );
  assert.equal(await focused(page), "zenith.jpg");
  await page.keyboard.press("Delete");
  await tiles(page, 2);
  await pictures(page);
  assert.deepEqual(
    await page
      .locator("[role=option]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
    ["forest.jpg", "moonlight.jpg"],
  );
}

/** The focus is on the picture that was seen last when the viewer is left. */
export async function focusAfterViewer({ page, server }) {
  await page.setViewportSize({ width: 420, height: 420 });
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await tile(page, 0).click();
  await page.locator("img[data-shown]").waitFor();
  for (let n = 0; n < 2; n++) {
    const before = page.url();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL((now) => now.href !== before);
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "item-2");
  const box = await tile(page, 2).boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 420, "it is not in sight");
}

/** Back closes what is open over the page, and only then leaves it. */
export async function backClosesDialog({ page, server }) {
  const folder = `${server.url}/f/demo/landscapes`;
  await page.goto(`${server.url}/f/demo`);
  await page.getByRole("link", { name: "landscapes" }).last().click();
  await page.waitForURL(folder);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("F2");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  assert.equal(page.url(), folder);
  await tile(page, 0).click({ button: "right" });
  await page.getByRole("menu").waitFor();
  await page.goBack();
  await page.getByRole("menu").waitFor({ state: "detached" });
  assert.equal(page.url(), folder);
  await page.goBack();
  await page.waitForURL(`${server.url}/f/demo`);
}

/** Enter makes a folder, by itself or as the place that pictures are moved to. */
export async function enterMakesFolder({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Proofs");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.url}/f/demo/landscapes/Proofs`);
  await page.goBack();
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByRole("textbox", { name: /New folder in/ }).fill("Chosen");
  await page.keyboard.press("Enter");
  await page.getByText("1 picture moved to Chosen").waitFor();
  await tiles(page, 2);
}

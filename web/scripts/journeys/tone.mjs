import assert from "node:assert/strict";
import { becomes, openEditor, rendered } from "./desk.mjs";
import { barriers } from "./tab.mjs";

const looksAreDrawn = (page) =>
  page.locator("button.look img").nth(8).waitFor();

/** Light by sliders and by itself, a curve by pointer and keys, and looks. */
export async function tone({ page, server }) {
  await openEditor(page, server, "demo/landscapes/dawn.jpg");
  await looksAreDrawn(page);
  const none = page.getByRole("button", { name: "None", exact: true });
  assert.equal(await none.getAttribute("aria-pressed"), "true");
  const slide = (name, value) =>
    page.getByRole("slider", { name, exact: true }).fill(value);
  await slide("Shadows", "28");
  await slide("Exposure", "0.35");
  await slide("Temperature", "7200");
  await slide("Tint", "4");
  await becomes(
    page,
    "filters:white_balance(7200,4):exposure(0.35):shadows(28)/demo",
  );
  await rendered(page, "white_balance(7200,4):exposure(0.35)");
  await page.getByText("Yours", { exact: true }).waitFor();
  // A double click on a name sets it back.
  await page.locator("label", { hasText: /^Exposure$/ }).dblclick();
  await becomes(page, "filters:white_balance(7200,4):shadows(28)/demo");
  // A press on the curve makes a point, which follows the pointer, then the keys.
  const box = await page.locator(".box:has(polyline)").boundingBox();
  const at = (x, y) => [box.x + box.width * x, box.y + box.height * y];
  await page.mouse.move(...at(0.5, 0.5));
  await page.mouse.down();
  await page.mouse.move(...at(0.5, 0.25));
  await page.mouse.up();
  await becomes(page, /curve\(12[78],19[012]\)/);
  const point = page.getByRole("button", { name: /^Point 1 of the curve/ });
  const [x, y] = (await point.getAttribute("aria-label"))
    .match(/: (\d+) becomes (\d+)/)
    .slice(1)
    .map(Number);
  await point.press("ArrowUp");
  await point.press("Shift+ArrowRight");
  await becomes(page, `curve(${x + 10},${y + 1})`);
  await rendered(page, `curve(${x + 10},${y + 1})`);
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Add a point" }).press("Enter");
  await page.getByRole("button", { name: /^Point 2 of the curve/ }).waitFor();
  await page.keyboard.press("Delete");
  await becomes(page, `curve(${x + 10},${y + 1})`);
  await point.press("Delete");
  await becomes(page, "filters:white_balance(7200,4):shadows(28)/demo");
  // A double click on a point removes it; the first one makes it elsewhere.
  await page.mouse.dblclick(...at(0.25, 0.25));
  await becomes(page, /curve\(6[34],19[012]\)/);
  await page.waitForTimeout(500);
  await page.mouse.dblclick(...at(0.25, 0.25));
  await becomes(page, "filters:white_balance(7200,4):shadows(28)/demo");
  await page.getByRole("radio", { name: "Red", exact: true }).check();
  await page.getByRole("button", { name: "Add a point" }).press("Enter");
  await becomes(page, "curve(r,128,128)");
  // A look takes the place of all of it, in one step.
  const faded = page.getByRole("button", { name: "Faded", exact: true });
  await faded.click();
  await becomes(page, "filters:curve(0,30,128,136,255,232):vibrance(-25)/demo");
  assert.equal(await faded.getAttribute("aria-pressed"), "true");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await becomes(page, "curve(r,128,128)");
  await none.click();
  await becomes(page, /^demo\//);
  await page.getByRole("button", { name: "Automatic" }).click();
  await becomes(page, /(exposure|highlights|shadows|contrast)\(/);
  assert.deepEqual(await barriers(page), []);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg`);
  await page.locator("img[data-shown]").waitFor();
}

/** On a phone a chip with its value chooses the control that is shown. */
export const tonePhone = {
  tab: {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    isMobile: true,
  },
  async walk({ page, server }) {
    await openEditor(page, server, "demo/landscapes/dawn.jpg");
    const slider = (name) => page.getByRole("slider", { name, exact: true });
    await slider("Exposure").fill("0.5");
    await page.getByRole("button", { name: "Exposure +0.5" }).waitFor();
    assert.equal(await slider("Highlights").isVisible(), false);
    await page.getByRole("button", { name: "Highlights" }).tap();
    await slider("Highlights").fill("-40");
    await page.getByRole("button", { name: "Highlights −40" }).waitFor();
    assert.equal(await slider("Exposure").isVisible(), false);
    await page.getByRole("button", { name: "Curve", exact: true }).tap();
    await page.locator(".box:has(polyline)").tap();
    await becomes(page, /exposure\(0\.5\):highlights\(-40\):curve\(\d+,\d+\)/);
    // Two taps on the point remove it.
    await page.waitForTimeout(500);
    // Without the checks of a locator between them, which take longer than two taps may be apart when the machine is busy.
    const area = await page.locator(".box:has(polyline)").boundingBox();
    for (let n = 0; n < 2; n++)
      await page.touchscreen.tap(
        area.x + area.width / 2,
        area.y + area.height / 2,
      );
    await becomes(page, "filters:exposure(0.5):highlights(-40)/demo");
    assert.deepEqual(await barriers(page), []);
    page.once("dialog", (dialog) => void dialog.accept());
    await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg`);
    await page.locator("img[data-shown]").waitFor();
  },
};

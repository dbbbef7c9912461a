import assert from "node:assert/strict";
import { openEditor, rendered, saveTemplate } from "./desk.mjs";
import { barriers } from "./tab.mjs";

/** A template is opened again with the layers that are hidden and locked in it, which no URL of its result has. */
export async function reopen({ page, server }) {
  await openEditor(
    page,
    server,
    "demo/landscapes/forest.jpg?p=600x400/filters:blur(1):-text(Draft,10,10,sans-24,ffffff):_text(Final,10,-10,sans-24,ffffff):image(fxf/filters:text(In,1,2,sans-24,ffffff):-image(80x40/color:ff0000,9,9)/color:none,0,0)",
  );
  await saveTemplate(page, "Stages");
  await page.goto(`${server.url}/templates`);
  await page.getByRole("button", { name: "More for Stages" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.waitForURL(/\/edit\/demo\/landscapes\/forest\.jpg\?.*template=/);
  assert.match(
    new URL(page.url()).searchParams.get("p"),
    /^600x400\/filters:blur\(1\):-text\(Draft,10,10,sans-24,ffffff\):_text\(Final,10,-10,sans-24,ffffff\):image\(fxf\/filters:text\(In,1,2,sans-24,ffffff\):-image\(80x40\/color:ff0000,9,9\)\/color:none,0,0\)$/,
  );
  const url = page.getByRole("textbox", { name: "URL of the result" });
  await url.waitFor();
  assert.doesNotMatch(await url.inputValue(), /Draft|ff0000/);
  await page.getByRole("button", { name: "Show Draft" }).click();
  await rendered(page, "text(Draft");
  assert.deepEqual(await barriers(page), []);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto(`${server.url}/templates`);
  await page.getByRole("button", { name: "More for Stages" }).waitFor();
}

/** Each save of a template keeps the one before; two are compared on a picture, and the first is restored. */
export async function versions({ page, server }) {
  await openEditor(
    page,
    server,
    "demo/landscapes/forest.jpg?p=600x400/filters:blur(2)",
  );
  const save = async (button) => {
    await page.getByRole("button", { name: "Save as template" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Soft");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    if (button) await page.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  const menu = async (item) => {
    await page.getByRole("button", { name: "More for Soft" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await save();
  await page.goto(`${server.url}/templates`);
  await menu("Versions");
  await page.getByText("There is only one version so far").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Escape");
  await openEditor(
    page,
    server,
    "demo/landscapes/forest.jpg?p=600x400/filters:grayscale()",
  );
  await save("Replace");
  await page.goto(`${server.url}/templates`);
  await menu("Versions");
  const dialog = page.getByRole("dialog", { name: "Versions of Soft" });
  await dialog
    .getByRole("button", { name: /^Version 2 · current .*admin$/ })
    .waitFor();
  await dialog.getByRole("row", { name: "Blur 2 –" }).waitFor();
  await dialog.getByRole("row", { name: "Black and white – ✓" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await dialog.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByText("Version 1 restored").waitFor();
  await menu("Versions");
  await dialog.getByRole("button", { name: /^Version 3 · current/ }).waitFor();
  await dialog.getByRole("button", { name: /^Version 1 / }).press("Enter");
  await page.getByText("Both do the same on this picture.").waitFor();
}

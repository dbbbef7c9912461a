// What journeys do in the editor.
import assert from "node:assert/strict";

/** Opens the editor on what follows `/edit/`, and waits until a result is there. */
export async function openEditor(page, server, path) {
  await page.goto(`${server.url}/edit/${path}`);
  await page.locator("img[data-rendered]").waitFor();
}

/** Waits until the picture is the result of a path with a part in it. */
export const rendered = (page, part) =>
  page.waitForFunction(
    (text) =>
      document
        .querySelector("img[data-rendered]")
        ?.dataset.rendered.includes(text),
    part,
  );

/** Waits until the URL of the result has a part in it, or matches a pattern. */
export const becomes = (page, part) =>
  page.waitForFunction(
    ([text, pattern]) => {
      const { value } = document.querySelector(
        'textarea[aria-label="URL of the result"]',
      );
      return pattern ? new RegExp(pattern).test(value) : value.includes(text);
    },
    part instanceof RegExp ? ["", part.source] : [part, ""],
  );

/** Saves what is open as a template; `fill` does the rest of the form. */
export async function saveTemplate(page, name, fill = () => undefined) {
  await page.getByRole("button", { name: "Save as template" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await fill();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const note = page.getByText(`Template ${name} saved`);
  await note.waitFor();
  const bar = page.locator("main > footer");
  const [low, top] = [
    await note.evaluate((element) => element.getBoundingClientRect().bottom),
    await bar.evaluate((element) => element.getBoundingClientRect().top),
  ];
  assert.ok(low <= top, `the note ends at ${low} px, the URL begins at ${top}`);
}

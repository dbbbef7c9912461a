import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { openEditor, rendered } from "./desk.mjs";
import { barriers } from "./tab.mjs";

const file = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";

/** DejaVu Sans Mono by another name, so that it is not an installed font. */
function typeface() {
  const wide = (text) => Buffer.from(text, "utf16le").swap16();
  let font = readFileSync(file);
  const [from, to] = ["DejaVu Sans Mono", "Journey Typeface"];
  for (const write of [wide, Buffer.from])
    for (let at = 0; (at = font.indexOf(write(from), at)) >= 0; at++)
      write(to).copy(font, at);
  return font;
}

/** An admin adds a font, after one that is none; a text has it, and the editor's list shows it; without it, the text changes. */
export async function fonts({ page, server, open }) {
  if (!existsSync(file))
    return console.log(`skipped fonts: ${file} is missing`);
  const admin = await server.login();
  const drawn = async () => {
    const path =
      "/unsafe/300x60/filters:text(Rag08,0,0,Journey-Typeface-24):format(png)/color:none";
    const answer = await fetch(server.url + path, {
      headers: { Authorization: `Bearer ${admin.token}` },
    });
    assert.equal(answer.status, 200);
    return Buffer.from(await answer.arrayBuffer()).toString("base64");
  };
  const without = await drawn();

  await page.goto(`${server.url}/admin`);
  await page.getByRole("link", { name: "Fonts", exact: true }).click();
  await page.getByText("No fonts have been added").waitFor();
  assert.deepEqual(await barriers(page), []);
  const choose = (name, buffer) =>
    page
      .locator("input[type=file]")
      .setInputFiles({ name, mimeType: "font/ttf", buffer });
  const font = typeface();
  await choose("none.ttf", Buffer.from("<svg/>"));
  await page.getByText("not a font").waitFor();
  await choose("broken.ttf", font.subarray(0, 20_000));
  await page.getByText("the font is damaged").waitFor();
  await choose("installed.ttf", readFileSync(file));
  await page.getByText(/is installed on the server/).waitFor();
  assert.equal(await page.locator(".entries li").count(), 0);

  await choose("journey.ttf", typeface());
  const row = page.locator(".entries li", { hasText: "Journey Typeface" });
  await row.waitFor();
  await page.waitForFunction(() =>
    document
      .querySelector(".entries .sample")
      .style.fontFamily.includes("font-"),
  );
  assert.deepEqual(await barriers(page), []);
  const withFont = await drawn();
  assert.notEqual(withFont, without);

  // the editor
  await openEditor(page, server, "demo/landscapes/forest.jpg?p=600x400");
  await page.getByRole("button", { name: "Add text" }).click();
  await rendered(page, "text(");
  await page.getByRole("button", { name: /^Font/ }).click();
  await page.getByText("Added by admins").waitFor();
  await page.waitForFunction(() =>
    document.querySelector(".uploaded")?.style.fontFamily.includes("font-"),
  );
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("radio", { name: "Journey Typeface" }).click();
  await rendered(page, "Journey-Typeface-");

  // nobody else changes fonts or reads their files
  const guest = await open();
  await guest.goto(`${server.url}/admin/fonts`);
  await guest.waitForURL(/\/login/);
  assert.equal(await guest.getByText("Add fonts").count(), 0);
  const id = await page.evaluate(
    () =>
      [...document.fonts].find((one) => one.family.includes("font-")).family,
  );
  const { status } = await fetch(
    `${server.url}/api/fonts/${id.replaceAll('"', "")}`,
  );
  assert.equal(status, 401);

  await page.goto(`${server.url}/admin/fonts`);
  await row.getByRole("button", { name: /^Delete/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByText("No fonts have been added").waitFor();
  assert.equal(await drawn(), without);
  await page.waitForFunction(() =>
    document.activeElement.textContent.includes("Add fonts"),
  );
}

/** Refusals are in the person's language, and whoever leaves the page stops the fonts that wait and is told which. */
export const fontsLeft = {
  tab: { locale: "de-DE" },
  async walk({ page, server }) {
    await page.goto(`${server.url}/admin/fonts`);
    await page.getByText("Noch keine Schriften").waitFor();
    const choose = (...names) =>
      page.locator("input[type=file]").setInputFiles(
        names.map((name) => ({
          name,
          mimeType: "font/ttf",
          buffer: Buffer.from("<svg/>"),
        })),
      );
    await choose("kaputt.ttf");
    await page.getByText("kaputt.ttf: Die Datei ist keine Schrift").waitFor();

    const sent = [];
    await page.route("**/api/graphql", (route) => {
      const body = route.request().postDataBuffer()?.toString("latin1") ?? "";
      if (!body.includes("addFont")) return route.continue();
      sent.push(body);
      return new Promise(() => {}); // until the page stops it
    });
    await choose("eins.ttf", "zwei.ttf");
    await page.getByText("eins.ttf wird geprüft").waitFor();
    await page.getByRole("link", { name: "Cache", exact: true }).click();
    await page.getByText(/nicht hinzugefügt: eins\.ttf, zwei\.ttf/).waitFor();
    assert.equal(sent.length, 1);
  },
};

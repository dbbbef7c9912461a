import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { barriers, logIn, pictures, settled, tile, tiles } from "./tab.mjs";

const order = async (page, names) => {
  await page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll("[role=option]")]
        .sort((a, b) => a.dataset.index - b.dataset.index)
        .map((one) => one.getAttribute("aria-label"))
        .join() === wanted,
    names.join(),
  );
  await settled(page);
};
const select = async (page, ...places) => {
  for (const place of places)
    await page.locator(`#item-${place} [data-pick]`).click({ force: true });
};
const namesOf = async (page) =>
  page
    .locator("[role=option]")
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
const toAlbum = async (page, title) => {
  await page.getByRole("button", { name: "Add to album" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Find or name an album").fill(title);
  await dialog
    .getByRole("button", { name: new RegExp(title) })
    .first()
    .click();
  await dialog.waitFor({ state: "detached" });
};

/** An album of two folders, in an order of its own, that follows its files and shows each person what they may see. */
export async function albums({ page, server, open }) {
  const admin = await server.login();
  await page.goto(`${server.url}/albums`);
  await page.getByText("No albums yet").waitFor();
  assert.deepEqual(await barriers(page), []);

  // From a selection, then from another folder.
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  const [one, two, three] = await namesOf(page);
  await select(page, 0, 1, 2);
  await toAlbum(page, "Winter");
  await page.getByText("3 pictures added to Winter").waitFor();
  await page.goto(`${server.url}/f/demo/patterns`);
  await pictures(page);
  const [four] = await namesOf(page);
  await tile(page, 0).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Add to album" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Winter" })
    .click();
  await page.getByText("1 picture added to Winter").waitFor();
  await page.getByRole("button", { name: "Show" }).last().click();
  await page.waitForURL(/\/a\//);
  await order(page, [one, two, three, four]);
  assert.deepEqual(await barriers(page), []);
  const address = page.url();

  // By dragging, and by keys.
  await page.locator("#item-3").dragTo(page.locator("#item-0"), {
    targetPosition: { x: 8, y: 40 },
    steps: 5, // the place where it would go is shown after a first one
  });
  await order(page, [four, one, two, three]);
  await tile(page, 0).focus();
  await page.keyboard.press("Alt+ArrowRight");
  await order(page, [one, four, two, three]);
  await page.keyboard.press("Alt+ArrowRight");
  await order(page, [one, two, four, three]);

  // A cover, a description, and the viewer in this order.
  await tile(page, 2).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Use as cover" }).click();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Edit album" }).click();
  await page.getByLabel("Description").fill("From south to north.");
  await page.getByLabel("Visible to").selectOption("EVERYONE");
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("From south to north.").waitFor();
  await tile(page, 1).click();
  await page.waitForURL(/\/i\/.*album=/);
  await page.locator("img[data-shown]").waitFor();
  await page.getByText("2 of 4").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.waitForURL((url) => url.pathname.endsWith(`/${four}`));
  await page.keyboard.press("Escape");
  await page.waitForURL(address);

  // It follows a file that is renamed, and one that is in the trash for a while.
  const ask = (query) => server.ask(admin, query);
  await ask(
    `mutation { moveFiles(input: { paths: ["demo/landscapes/${one}"], folder: "demo/moved", name: "renamed.jpg" }) { userErrors { message } } }`,
  );
  await order(page, ["renamed.jpg", two, four, three]);
  await tile(page, 1).focus();
  await page.keyboard.press("Delete");
  await order(page, ["renamed.jpg", four, three]);
  await page.getByRole("button", { name: "Undo" }).click();
  await order(page, ["renamed.jpg", two, four, three]);

  // As one file, and as a slideshow.
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Download" }).click();
  const zip = await saved;
  assert.match(zip.suggestedFilename(), /^Winter 20\d\d-\d\d-\d\d\.zip$/);
  const bytes = readFileSync(await zip.path()).toString("latin1");
  const places = ["renamed.jpg", two, four, three].map((name) =>
    bytes.indexOf(name),
  );
  assert.ok(places[0] > 0);
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );

  // Somebody who may see one of the folders sees fewer pictures, and cannot change the album.
  await ask(
    'mutation { createUser(input: { displayName: "Iris", username: "iris", password: "a long enough one", role: USER }) { id } }',
  );
  await ask(
    'mutation { a: setGrants(input: { folder: "", grants: [] }) { userErrors { message } } b: setGrants(input: { folder: "demo/landscapes", grants: [{ to: { everyone: true }, right: VIEW }] }) { userErrors { message } } }',
  );
  const iris = await open();
  await iris.goto(`${server.url}/login`);
  await logIn(iris, "iris", "a long enough one");
  await iris.waitForURL(`${server.url}/`);
  await iris.goto(`${server.url}/albums`);
  await iris.getByText("2 pictures").waitFor();
  assert.deepEqual(await barriers(iris), []);
  await iris.getByRole("link", { name: "Winter" }).click();
  await order(iris, [two, three]);
  await iris.getByRole("button", { name: "More actions" }).click();
  await iris.getByRole("menuitem", { name: "Download" }).waitFor();
  assert.equal(
    await iris.getByRole("menuitem", { name: "Edit album" }).count(),
    0,
  );
  await iris.keyboard.press("Escape");

  // A smart album has what a saved search finds.
  await ask(
    'mutation { createSavedSearch(input: { name: "Patterns", folder: "demo/patterns" }) { userErrors { message } } }',
  );
  await page.goto(`${server.url}/albums`);
  await page.getByRole("button", { name: "New album" }).click();
  await page.getByLabel("Title").fill("Rules");
  await page
    .getByRole("dialog")
    .getByLabel("Pictures")
    .selectOption({ label: "Found by the search “Patterns”" });
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/a\//);
  await tiles(page, 3);
  await page.getByText("Smart album").waitFor();

  // On a phone, and away again.
  await page.setViewportSize({ width: 390, height: 780 });
  await settled(page);
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete album" }).click();
  await page.getByRole("button", { name: "Delete album" }).click();
  await page.waitForURL(`${server.url}/albums`);
  await page.getByText("Winter").waitFor();
  assert.deepEqual(await barriers(page), []);
}

/** Pictures that were taken out of an album go back to their places, one and several, and so does the cover. */
export async function albumUndo({ page, server }) {
  const admin = await server.login();
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  const [one, two, three] = await namesOf(page);
  const paths = [two, three, one].map((name) => `demo/landscapes/${name}`);
  const { createAlbum } = await server.ask(
    admin,
    'mutation { createAlbum(input: { title: "Undone" }) { album { id } } }',
  );
  const { id } = createAlbum.album;
  await server.ask(
    admin,
    `mutation { a: addToAlbum(input: { id: "${id}", paths: ${JSON.stringify(paths)} }) { userErrors { message } } b: updateAlbum(input: { id: "${id}", coverPath: "${paths[1]}" }) { userErrors { message } } }`,
  );
  const coverOf = async () =>
    (await server.ask(admin, `{ album(id: "${id}") { cover { path } } }`)).album
      .cover.path;
  const undo = async () => {
    await page.getByRole("button", { name: "Undo" }).click();
    await order(page, [two, three, one]);
  };
  await page.goto(`${server.url}/a/${id}`);
  await order(page, [two, three, one]);

  await tile(page, 1).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Remove from album" }).click();
  await order(page, [two, one]);
  await page.getByText("1 picture removed from the album").waitFor();
  assert.equal(await coverOf(), paths[0]);
  await undo();
  assert.equal(await coverOf(), paths[1]);

  await select(page, 0, 1);
  await page.getByRole("button", { name: "Remove from album" }).click();
  await order(page, [one]);
  await page.getByText("2 pictures removed from the album").waitFor();
  await undo();
}

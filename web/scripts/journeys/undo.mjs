import assert from "node:assert/strict";
import { join } from "node:path";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { openEditor, rendered } from "./desk.mjs";
import { stripes } from "./paint.mjs";
import {
  forgetOutage,
  patience,
  pictures,
  settled,
  tile,
  tiles,
} from "./tab.mjs";

/** A deletion in the viewer is undone where one is: in the viewer the picture is shown again, in the grid it is back. */
export async function undoInPlace({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  await tile(page, 0).press("Enter");
  await page.locator("img[data-shown]").waitFor();
  await page.keyboard.press("Delete");
  await page.waitForURL(/\/i\/.*forest/);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForURL(/\/i\/.*dawn/);
  await page.getByText("1 of 3").waitFor();
  await page.locator("img[data-shown]").waitFor();
  await page.keyboard.press("Delete");
  await page.waitForURL(/\/i\/.*forest/);
  await page.keyboard.press("Escape");
  await tiles(page, 2);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await tiles(page, 3);
  assert.match(page.url(), /\/f\/demo\/landscapes$/);
}

/** Pressing H twice takes a favorite back, however slow the answer to the first is. */
export async function favoriteTwice({ page, server }) {
  await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg`);
  await page.locator("[data-heart]").waitFor();
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  const sent = [];
  await page.route("**/api/graphql", async (route) => {
    const body = route.request().postDataJSON();
    if (!body.query.includes("mutation SaveFile")) return route.continue();
    sent.push(body.variables.input.favorite);
    if (sent.length === 1) await held;
    return route.continue();
  });
  await page.keyboard.press("h");
  await page.locator("[data-heart][aria-pressed=true]").waitFor();

  // What somebody else changes meanwhile makes the viewer ask again, and the answer does not have the favorite yet.
  const asked = page.waitForResponse(
    (response) =>
      response.request().postData()?.includes("query ViewedFile") ?? false,
  );
  const other = await server.login();
  await server.ask(
    other,
    "mutation($input: UpdateFileInput!) { updateFile(input: $input) { userErrors { code } } }",
    { input: { path: "demo/landscapes/dawn.jpg", tags: ["sun"] } },
  );
  await (await asked).finished();
  await page.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() => setTimeout(resolve)),
      ),
  );
  assert.equal(
    await page.locator("[data-heart]").getAttribute("aria-pressed"),
    "true",
  );

  await page.keyboard.press("h");
  await page.locator("[data-heart][aria-pressed=false]").waitFor();
  letGo();
  await settled(page);
  assert.deepEqual(sent, [true, false]);
}

// The result as a file, without one in the library.
async function downloaded(page, server) {
  const folder = join(server.data, "files/demo/landscapes");
  const before = readdirSync(folder);
  const given = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download", exact: true }).click();
  const file = await given;
  assert.equal(file.suggestedFilename(), "dawn-edited.jpg");
  const bytes = readFileSync(await file.path());
  assert.equal(bytes.subarray(0, 3).toString("hex"), "ffd8ff");
  const edited = await page.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(
      new Blob([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))]),
    );
    return [bitmap.width, bitmap.height];
  }, bytes.toString("base64"));
  assert.deepEqual(edited, [300, 200]);
  assert.deepEqual(readdirSync(folder), before);
}

/** An edit is saved once its file is there: until then leaving is warned of, and a name that is taken is said where it is typed. */
export async function savedEdit({ page, server }) {
  const asked = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    return dialog.dismiss();
  });
  await openEditor(page, server, "demo/landscapes/dawn.jpg");
  await page
    .getByRole("textbox", { name: "URL of the result" })
    .fill("300x200/filters:grayscale()/demo/landscapes/dawn.jpg");
  await rendered(page, "grayscale");
  await downloaded(page, server);
  await page.getByRole("button", { name: "Save as new file" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("forest");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByText("A file with this name already exists").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("not saved").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  assert.deepEqual(asked, ["confirm"]);
  await page.getByRole("button", { name: "Save as new file" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("grey");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.ok(existsSync(join(server.data, "files/demo/landscapes/grey.jpg")));
  await page.getByRole("button", { name: "Back" }).click();
  await page.waitForURL(/\/i\//);
  assert.deepEqual(asked, ["confirm"]);
}

// More than two batches of a change.
const [batch, several] = [200, 450];
function manyFiles(files) {
  const folder = join(files, "many");
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < several; n++)
    writeFileSync(
      join(folder, `n${String(n).padStart(3, "0")}.png`),
      stripes(8, 8, [[124, 120, 118]]),
    );
}

/** Waits until something is so. */
async function until(page, is) {
  const end = Date.now() + patience;
  while (!(await is())) {
    assert.ok(Date.now() < end, `not so: ${is}`);
    await settled(page);
  }
}

async function secondBatchFails({ page, server }) {
  const folder = join(server.data, "files/many");
  const left = () => readdirSync(folder).filter((name) => /\.png$/.test(name));
  await page.goto(`${server.url}/f/many`);
  await pictures(page);
  let calls = 0;
  await page.route("**/api/graphql", (route) => {
    const { query } = route.request().postDataJSON();
    if (!/mutation (TrashFiles|TagFiles)/.test(query) || ++calls !== 2)
      return route.continue();
    return route.fulfill({
      json: {
        errors: [{ message: "busy", extensions: { code: "UNAVAILABLE" } }],
      },
    });
  });
  const selectAll = async () => {
    calls = 0;
    await tile(page, 0).focus();
    await page.keyboard.press("Control+a");
    await page.getByText(`${several} selected`).waitFor();
  };

  // The batches before and after the one that fails are done, and one undo is for both.
  await selectAll();
  await page.keyboard.press("Delete");
  await page.getByText(`${batch} were not changed`).waitFor();
  const done = page.getByText(`${several - batch} pictures moved to trash`);
  await done.waitFor();
  assert.equal(left().length, batch);
  // The undo stays when its note has gone.
  await page
    .locator(".toast", { hasText: "moved to trash" })
    .getByRole("button", { name: "Close" })
    .click();
  await done.waitFor({ state: "detached" });
  await tile(page, 0).focus();
  await page.keyboard.press("Control+z");
  await until(page, () => left().length === several);
  await page.keyboard.press("Control+z");
  await page.getByText("Nothing to undo").waitFor();

  // So it is for tags, of files too that the page has not loaded.
  const tagged = async () => {
    const { files } = await server.ask(
      await server.login(),
      '{ files(folder: "many", filter: { tags: ["sea"] }, first: 1) { totalCount } }',
    );
    return files.totalCount;
  };
  await page.reload();
  await pictures(page);
  await selectAll();
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Add" }).fill("sea");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText(`Tags of ${several - batch} pictures changed`).waitFor();
  assert.equal(await tagged(), several - batch);
  await page.getByRole("button", { name: "Undo" }).click();
  await until(page, async () => !(await tagged()));
}
/** A selection whose second batch fails: what failed is said, and the undo is for all the rest. */
export const undoOfPart = {
  server: { prepare: manyFiles },
  walk: secondBatchFails,
};

// Lets the next call of a mutation reach the server, and drops what it answers.
async function loseAnswer(page, mutation) {
  let lost = false;
  await page.route("**/api/graphql", async (route) => {
    const asks = route.request().postData().includes(`mutation ${mutation}(`);
    if (lost || !asks) return route.fallback();
    lost = true;
    await route.fetch();
    return route.abort("internetdisconnected");
  });
}

async function answersLost({ page, server, wrong }) {
  const admin = await server.login();
  const ask = (query) => server.ask(admin, query);
  const folder = join(server.data, "files/many");
  const left = () => readdirSync(folder).filter((name) => /\.png$/.test(name));
  const count = async (filter) =>
    (
      await ask(
        `{ files(folder: "many", filter: { ${filter} }, first: 1) { totalCount } }`,
      )
    ).files.totalCount;
  const undo = () => page.getByRole("button", { name: "Undo" }).last().click();
  await ask(
    'mutation { tagFiles(input: { paths: ["many/n000.png", "many/n003.png"], add: ["sea"] }) { results { ok } } rateFiles(input: { paths: ["many/n001.png"], rating: 2 }) { results { ok } } }',
  );
  await page.goto(`${server.url}/f/many`);
  await pictures(page);

  // The undo gives back what each file had, of files too that the page has not loaded.
  await tile(page, 0).focus();
  await page.keyboard.press("Control+a");
  await page.getByText(`${several} selected`).waitFor();
  await loseAnswer(page, "TagFiles");
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Add" }).fill("sea");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText(`Tags of ${several} pictures changed`).waitFor();
  assert.equal(await count('tags: ["sea"]'), several);
  await undo();
  await until(page, async () => (await count('tags: ["sea"]')) === 2);

  await page.reload();
  await pictures(page);
  await loseAnswer(page, "RateFiles");
  await tile(page, 1).focus();
  await page.keyboard.press("4");
  await page.getByText("1 picture rated").waitFor();
  assert.equal(await count("minRating: 4"), 1);
  await undo();
  await until(page, async () => !(await count("minRating: 3")));
  assert.equal(await count("minRating: 2"), 1);

  // What is in the trash, in another folder or out of an album by then is found, and comes back.
  await loseAnswer(page, "TrashFiles");
  await tile(page, 0).focus();
  await page.keyboard.press("Delete");
  await page.getByText("1 picture moved to trash").waitFor();
  assert.equal(left().length, several - 1);
  await undo();
  await until(page, () => left().length === several);

  await page.reload();
  await pictures(page);
  await loseAnswer(page, "MoveFiles");
  await tile(page, 0).focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByRole("textbox", { name: /New folder in/ }).fill("Chosen");
  await page.keyboard.press("Enter");
  await page.getByText("1 picture moved to many/Chosen").waitFor();
  assert.equal(left().length, several - 1);
  await undo();
  await until(page, () => left().length === several);

  const { createAlbum } = await ask(
    'mutation { createAlbum(input: { title: "Lost" }) { album { id } } }',
  );
  const { id } = createAlbum.album;
  const names = ["n002.png", "n000.png", "n001.png"];
  await ask(
    `mutation { addToAlbum(input: { id: "${id}", paths: ${JSON.stringify(names.map((name) => `many/${name}`))} }) { results { ok } } }`,
  );
  await page.goto(`${server.url}/a/${id}`);
  await pictures(page);
  await loseAnswer(page, "RemoveFromAlbum");
  await tile(page, 1).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Remove from album" }).click();
  await page.getByText("1 picture removed from the album").waitFor();
  await tiles(page, 2);
  await undo();
  await tiles(page, 3);
  const { album } = await ask(
    `{ album(id: "${id}") { files(first: 9) { nodes { name } } } }`,
  );
  assert.deepEqual(
    album.files.nodes.map(({ name }) => name),
    names,
  );
  forgetOutage(wrong);
}
/** A change that the server makes, and whose answer never comes, is undone as any other. */
export const undoOfLost = {
  server: { prepare: manyFiles },
  walk: answersLost,
};

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { barriers, settled } from "./tab.mjs";

const folder = "/f/demo/landscapes";
const password = "granite-salt-38-lamp";

// The owner makes a link with a password. Somebody without an account opens it, looks, downloads and adds a picture.
// Then the link is revoked, and nothing of it works any more.
async function links({ page, server, open }) {
  await page.goto(server.url + folder);
  await settled(page);
  await page.getByRole("button", { name: "Actions for this folder" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title for visitors").fill("Winter");
  await dialog.getByLabel("Password (optional)").fill(password);
  await dialog.getByLabel("Visitors may add pictures").check();
  await dialog.getByLabel("Limit in GB").fill("0.5");
  assert.deepEqual(await barriers(page), []);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: new URL(server.url).origin,
  });
  await dialog.getByRole("button", { name: "Copy the password" }).click();
  await page.waitForFunction(
    async (text) => (await navigator.clipboard.readText()) === text,
    password,
  );
  await dialog.getByRole("button", { name: "Create link" }).click();
  await page.waitForFunction(
    () => document.activeElement.textContent.trim() === "Copy",
  );
  const address = await dialog
    .getByLabel("The link", { exact: true })
    .inputValue();
  assert.match(address, new RegExp(`^${server.url}/s/[A-Z2-7]{26}$`));
  await dialog.getByText("1 link to this").waitFor();
  await dialog.getByText("No visits yet").waitFor();
  assert.deepEqual(await barriers(page), []);

  // A visitor, whose browser knows nothing.
  const visitor = await open();
  await visitor.goto(address);
  await visitor.getByText("These pictures need a password").waitFor();
  assert.equal(await visitor.getByText("Winter").count(), 0);
  assert.deepEqual(await barriers(visitor), []);
  await visitor.getByLabel("Password").fill("not this one");
  await visitor.getByRole("button", { name: "Show the pictures" }).click();
  await visitor.getByText("Wrong password.").waitFor();
  await visitor.getByLabel("Password").fill(password);
  await visitor.getByRole("button", { name: "Show the pictures" }).click();
  await visitor.getByRole("heading", { name: "Winter" }).waitFor();
  const shown = visitor.locator(".grid button");
  await shown.first().waitFor();
  const count = await shown.count();
  assert.ok(count > 1, `${count} pictures`);
  assert.equal(await visitor.title(), "Winter");
  assert.deepEqual(await barriers(visitor), []);

  // The viewer and the slideshow.
  const picture = new URL(
    await shown.first().locator("img").getAttribute("src"),
    address,
  ).href;
  await shown.first().click();
  const look = visitor.getByRole("dialog");
  await look.getByText(`1 of ${count}`).waitFor();
  await visitor.keyboard.press("ArrowRight");
  await look.getByText(`2 of ${count}`).waitFor();
  await visitor.keyboard.press("ArrowLeft");
  await look.getByText(`1 of ${count}`).waitFor();
  await look.getByRole("button", { name: "Slideshow" }).click();
  await look.getByText(`2 of ${count}`).waitFor();
  await look.getByRole("button", { name: "Pause" }).click();
  assert.deepEqual(await barriers(visitor), []);
  await visitor.keyboard.press("Escape");
  await look.waitFor({ state: "detached" });

  // The ZIP.
  const arrives = visitor.waitForEvent("download");
  await visitor.getByRole("link", { name: "Download all" }).click();
  const download = await arrives;
  assert.equal(download.suggestedFilename(), "Winter.zip");
  assert.equal(await download.failure(), null);

  // A picture is added, and one that is none is not.
  const bytes = readFileSync(
    new URL("../../public/app/icon-192.png", import.meta.url),
  );
  await visitor.getByLabel("Add pictures").setInputFiles([
    { name: "guest.png", mimeType: "image/png", buffer: bytes },
    {
      name: "note.png",
      mimeType: "image/png",
      buffer: Buffer.from("no picture"),
    },
  ]);
  await visitor.getByText("Not a picture that can be read").waitFor();
  await visitor.getByRole("button", { name: "guest.png" }).waitFor();
  assert.equal(await shown.count(), count + 1);

  // Its owner sees the visit on the page of all links, and revokes it.
  await page.goto(`${server.url}/me/shares`);
  await page.getByText("1 visit · last one").waitFor();
  await settled(page);
  assert.deepEqual(await barriers(page), []);
  const cookies = await visitor.context().cookies(address);
  assert.equal(cookies.length, 1);
  const fetched = (path) =>
    visitor.evaluate(async (url) => (await fetch(url)).status, path);
  assert.equal(await fetched(picture), 200);
  await page.getByRole("button", { name: "Revoke the link Winter" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Revoke" })
    .click();
  await page.getByText("No links yet.").waitFor();
  for (const path of [picture, `${address}/files`, `${address}/archive`])
    assert.equal(await fetched(path), 404, path);
  await visitor.goto(address);
  await visitor.getByText("This link no longer works").waitFor();
}

// An album is shared: visitors see its pictures in its order, and what is done to it.
async function album({ page, server, open }) {
  const session = await server.login();
  const admin = (query, variables) => server.ask(session, query, variables);
  const { files } = await admin(
    `{ files(folder: "demo/landscapes", first: 3) { nodes { path name } } }`,
  );
  const [one, two, three] = files.nodes;
  const { createAlbum } = await admin(
    `mutation { createAlbum(input: {title: "Snow", description: "Two days in the hills"}) { album { id } } }`,
  );
  const { id } = createAlbum.album;
  const add = (...paths) =>
    admin(
      `mutation ($id: ID!, $paths: [String!]!) { addToAlbum(input: {id: $id, paths: $paths}) { userErrors { code } } }`,
      { id, paths },
    );
  await add(two.path, one.path);

  await page.goto(`${server.url}/a/${id}`);
  await settled(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Anyone with the link can see the pictures").waitFor();
  await dialog.getByRole("button", { name: "Create link" }).click();
  const address = await dialog
    .getByLabel("The link", { exact: true })
    .inputValue();
  await dialog.getByText("1 link to this").waitFor();
  assert.deepEqual(await barriers(page), []);

  const visitor = await open();
  await visitor.goto(address);
  await visitor.getByRole("heading", { name: "Snow" }).waitFor();
  await visitor.getByText("Two days in the hills").waitFor();
  const names = async (...wanted) => {
    await visitor.waitForFunction(
      (list) =>
        [...document.querySelectorAll(".grid button")]
          .map((one) => one.getAttribute("aria-label"))
          .join() === list,
      wanted.map(({ name }) => name).join(),
    );
  };
  await names(two, one);
  assert.deepEqual(await barriers(visitor), []);
  await add(three.path);
  await visitor.reload();
  await names(two, one, three);

  await page.goto(`${server.url}/me/shares`);
  await page.getByRole("link", { name: "Snow" }).waitFor();
  await settled(page);
  assert.deepEqual(await barriers(page), []);
  await admin(
    `mutation ($id: ID!) { deleteAlbum(input: {id: $id}) { deletedId } }`,
    {
      id,
    },
  );
  await visitor.reload();
  await visitor.getByText("This link no longer works").waitFor();
}

export const share = {
  walk: async (all) => {
    await links(all);
    await album(all);
  },
};

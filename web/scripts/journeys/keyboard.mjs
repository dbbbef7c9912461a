import assert from "node:assert/strict";
import { password } from "../server.mjs";
import { becomes, rendered } from "./desk.mjs";
import { handsOff, push, reach, write } from "./keys.mjs";
import { pictures, tiles } from "./tab.mjs";
import { names, paint } from "./ten.mjs";

// The picture that Tab leads to; arrows lead to the others.
const current = '[role=option][tabindex="0"]';

async function logIn(page, username, secret) {
  await write(page, page.getByLabel("Username"), username);
  await write(page, page.getByLabel("Password"), secret);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Library" }).waitFor();
}

async function organizes(page, url) {
  // Down the tree into a folder.
  await reach(page, page.getByRole("treeitem", { name: "demo" }));
  await page.keyboard.press("ArrowRight");
  await reach(
    page,
    page.getByRole("treeitem", { name: "landscapes" }),
    "ArrowDown",
  );
  await page.keyboard.press("Enter");
  await page.waitForURL(`${url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  // A search, whose words and chips go away again.
  await page.keyboard.press("/");
  await page.keyboard.type("dawn type:jpg ");
  await tiles(page, 1);
  await push(page, page.getByRole("button", { name: "Remove filter: JPG" }));
  await page.waitForURL((address) => !address.search.includes("type"));
  await page.keyboard.press("/");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Backspace");
  await tiles(page, 3);
  await pictures(page);
  // Two pictures to a new folder, and back.
  await reach(page, page.locator(current));
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowRight");
  await page.getByText("2 selected").waitFor();
  await push(page, page.getByRole("button", { name: "Move", exact: true }));
  await write(page, page.getByLabel(/New folder in/), "Press");
  await push(
    page,
    page.getByRole("dialog").getByRole("button", { name: "Move", exact: true }),
  );
  await page.getByText("2 pictures moved to demo/landscapes/Press").waitFor();
  await tiles(page, 1);
  await push(page, page.getByRole("button", { name: "Undo" }));
  await tiles(page, 3);
  await pictures(page);
  // To the trash, and back.
  await reach(page, page.locator(current));
  await page.keyboard.press("Delete");
  await page.getByText("1 picture moved to trash").waitFor();
  await tiles(page, 2);
  await page.keyboard.press("Control+z");
  await tiles(page, 3);
  await pictures(page);
  await reach(page, page.locator(current));
  await page.keyboard.press("Delete");
  await tiles(page, 2);
  await push(page, page.getByRole("link", { name: "Trash" }));
  await page.waitForURL(`${url}/trash`);
  await reach(page, page.getByRole("checkbox").first());
  await page.keyboard.press("Space");
  await push(page, page.getByRole("button", { name: "Restore 1" }));
  await page.getByText("The trash is empty").waitFor();
}

async function administers(page, url) {
  const main = page.getByRole("main");
  await push(page, page.getByRole("link", { name: "Administration" }));
  await page.getByText("The storage responds").waitFor();
  await push(page, main.getByRole("link", { name: "Accounts" }));
  await push(page, page.getByRole("button", { name: "New account" }));
  await write(page, page.getByLabel("Username"), "iris");
  await push(page, page.getByRole("button", { name: "Create and invite" }));
  const link = await page.getByText("/setup#invitation=").textContent();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await push(page, main.getByRole("link", { name: "API tokens" }));
  await write(page, page.getByLabel("Name"), "Build");
  await push(page, page.getByRole("button", { name: "Create" }));
  await page.getByText("It is shown only once").waitFor();
  const headers = {
    Authorization: `Bearer ${await page.locator("code").textContent()}`,
  };
  const status = async () =>
    (await fetch(`${url}/api/auth/me`, { headers })).status;
  assert.equal(await status(), 200);
  await push(page, page.getByRole("button", { name: "I’ve copied it" }));
  await push(page, page.getByRole("button", { name: "Revoke Build" }));
  await page.getByText("Token revoked").waitFor();
  assert.equal(await status(), 401);
  await push(page, main.getByRole("link", { name: "Cache" }));
  await reach(page, main.getByRole("radio", { checked: true }));
  await reach(
    page,
    main.getByRole("radio", { name: "Everything" }),
    "ArrowRight",
  );
  await push(page, page.getByRole("button", { name: "Purge now" }));
  await page.getByText(/results? purged/).waitFor();
  return link;
}

async function withoutMouse({ page: whole, server: { url } }) {
  const page = handsOff(whole);
  assert.throws(() => page.mouse, /more than a keyboard/);
  assert.throws(() => page.getByRole("button").click, /more than a keyboard/);
  await page.goto(`${url}/login`);
  await logIn(page, "admin", password);
  await organizes(page, url);
  const link = await administers(page, url);
  // The new user is logged in, and may not administrate.
  await push(page, page.getByRole("link", { name: "admin", exact: true }));
  await push(page, page.getByRole("button", { name: "Log out", exact: true }));
  await page.waitForURL(/\/login/);
  await page.goto(link);
  await write(page, page.getByLabel("Password"), "a long enough one");
  await push(page, page.getByRole("button", { name: "Log in", exact: true }));
  await page.getByRole("link", { name: "iris", exact: true }).waitFor();
  assert.equal(
    await page.getByRole("link", { name: "Administration" }).count(),
    0,
  );
}
/** By the keyboard alone: login, search, bulk move with undo, trash and restore, a new user, a token, a purge, logout. */
export const keysOnly = { as: null, walk: withoutMouse };

async function editsWithoutMouse({ page: whole, server }) {
  const page = handsOff(whole);
  page.on("dialog", (dialog) => void dialog.accept()); // Enter in the question of the browser
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await push(page, page.locator(current));
  await page.locator("img[data-shown]").waitFor();
  await page.keyboard.press("e");
  await page.locator("img[data-rendered]").waitFor();
  const url = page.getByRole("textbox", { name: "URL of the result" });
  // A layer of text, moved, and the move undone.
  await push(page, page.getByRole("button", { name: "Add text" }));
  await write(
    page,
    page.getByRole("textbox", { name: "Text", exact: true }),
    "Sea",
  );
  await rendered(page, "text(Sea");
  await reach(
    page,
    page.getByRole("button", { name: "Move Sea with the arrow keys" }),
  );
  await page.keyboard.press("Shift+ArrowRight");
  await becomes(page, /center\+[\d.]+p/);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(
    () =>
      !document
        .querySelector('textarea[aria-label="URL of the result"]')
        .value.includes("center+"),
  );
  await rendered(page, "text(Sea");
  // A crop with a ratio, whose corner moves.
  await push(page, page.getByRole("button", { name: "Crop and rotate" }));
  await push(page, page.getByRole("button", { name: "1:1" }));
  const square = await url.inputValue();
  await reach(page, page.getByRole("button", { name: "Edge SE of the crop" }));
  await page.keyboard.press("Shift+ArrowLeft");
  await page.waitForFunction(
    (before) =>
      document.querySelector('textarea[aria-label="URL of the result"]')
        .value !== before,
    square,
  );
  // The URL, typed.
  await write(
    page,
    url,
    "300x200/filters:grayscale():image(300x40/color:ff0000,0,0)/demo/landscapes/dawn.jpg",
  );
  await rendered(page, "grayscale()");
  // It becomes a template, and is applied to ten.
  await push(page, page.getByRole("button", { name: "Save as template" }));
  await write(
    page,
    page.getByRole("textbox", { name: "Name", exact: true }),
    "Band",
  );
  await push(page, page.getByRole("button", { name: "Save", exact: true }));
  await page.getByText("Template Band saved").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).waitFor();
  await page.keyboard.type("templates");
  await page
    .getByRole("option", { name: "Templates", selected: true })
    .waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.url}/templates`);
  await push(
    page,
    page.getByRole("button", { name: "Apply Band to pictures" }),
  );
  const dialog = page.getByRole("dialog");
  await write(page, dialog.getByLabel("Search"), "shop");
  await dialog
    .getByTitle("demo/landscapes/dawn.jpg")
    .waitFor({ state: "detached" });
  for (const name of names) {
    await reach(page, dialog.getByTitle(`shop/${name}`));
    await page.keyboard.press("Space");
  }
  await push(page, dialog.getByRole("button", { name: "Apply", exact: true }));
  await push(page, page.getByRole("button", { name: "Save 10 new files" }));
  await page.getByText("10 files saved", { exact: true }).waitFor();
  const { files } = await server.ask(
    await server.login(),
    '{ files(folder: "shop", first: 100) { nodes { name } } }',
  );
  assert.deepEqual(
    files.nodes
      .map(({ name }) => name)
      .filter((name) => name.includes("-band"))
      .toSorted(),
    names.map((name) => name.replace(".png", "-band.png")),
  );
}
/** By the keyboard alone: the editor with a layer, undo, a crop and a typed URL; a template saved and applied to ten. */
export const keysOnlyEditor = {
  server: { prepare: paint },
  walk: editsWithoutMouse,
};

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { handsOff, push, reach, write } from "./keys.mjs";
import { pictures, tiles } from "./tab.mjs";
import { breakingLine } from "./uploads.mjs";

const current = '[role=option][tabindex="0"]';
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = (name, text) => ({
  name,
  mimeType: "image/png",
  buffer: Buffer.concat([png, Buffer.alloc(5000, text)]),
});

/** Opens the chooser by key; what is chosen there is the business of the browser. */
async function choose(page, files) {
  const chooser = page.waitForEvent("filechooser");
  await push(page, page.getByRole("button", { name: "Upload", exact: true }));
  await (await chooser).setFiles(files);
}

async function sendsWithoutMouse({ page: whole, server, options: { line } }) {
  const page = handsOff(whole);
  const tray = page.getByRole("complementary", { name: "Uploads" });
  const held = line.hold(1);
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  await choose(page, [picture("one.png", "1"), picture("two.png", "2")]);
  // The tray says how far it is; it is paused and goes on.
  const letGo = await held;
  await tray.getByText(/^Uploading \d of 2$/).waitFor();
  await push(page, page.getByRole("button", { name: "Pause uploads" }));
  await tray.getByText(/^[01] of 2 uploaded$/).waitFor();
  letGo();
  await push(page, page.getByRole("button", { name: "Resume uploads" }));
  await tray.getByText("2 files uploaded", { exact: true }).waitFor();
  await push(page, tray.getByRole("button", { name: "Close" }));
  await tray.waitFor({ state: "detached" });
  await tiles(page, 5);
  // Names that are taken: each answer, and the one for all.
  await choose(page, [picture("one.png", "x"), picture("two.png", "y")]);
  await tray.getByText("For all 2").waitFor();
  await push(
    page,
    tray
      .getByRole("listitem")
      .filter({ hasText: "one.png" })
      .getByRole("button", { name: "Keep both" }),
  );
  await tray.getByText("For all 2").waitFor({ state: "detached" });
  await push(
    page,
    tray
      .getByRole("listitem")
      .filter({ hasText: "two.png" })
      .getByRole("button", { name: "Replace" }),
  );
  await tray.getByText("2 files uploaded", { exact: true }).waitFor();
  await push(page, tray.getByRole("button", { name: "Close" }));
  await choose(page, [picture("one.png", "z"), picture("two.png", "z")]);
  await tray.getByText("For all 2").waitFor();
  await push(
    page,
    tray.locator("footer").getByRole("button", { name: "Skip" }),
  );
  await tray.waitFor({ state: "detached" });
  await tiles(page, 6);
  const session = await server.login();
  const { files } = await server.ask(
    session,
    '{ files(folder: "demo/landscapes") { nodes { name } } }',
  );
  const bytes = (name) =>
    readFileSync(join(server.data, "files/demo/landscapes", name)).at(-1);
  assert.deepEqual(
    ["one.png", "one-1.png", "two.png"].map((name) =>
      String.fromCharCode(bytes(name)),
    ),
    ["1", "x", "y"],
  );
  assert.deepEqual(
    files.nodes
      .map(({ name }) => name)
      .filter((name) => name.endsWith(".png"))
      .toSorted(),
    ["one-1.png", "one.png", "two.png"],
  );
}
/** By the keyboard alone: files are chosen, paused, sent, and the answers to taken names are given. */
export const keysOnlyUpload = {
  server() {
    const line = breakingLine();
    return { line, through: line.through };
  },
  walk: sendsWithoutMouse,
};

async function beginsWithoutMouse({ page: whole, server }) {
  const page = handsOff(whole);
  const token =
    /setup#(\S+)/.exec(server.output())?.[1] ??
    /setup token (\S+)/.exec(server.output())?.[1];
  await page.goto(`${server.url}/setup#${token}`);
  await page.waitForURL(/\/setup$/);
  await write(page, page.getByLabel("Display name"), "Mira");
  await write(page, page.getByLabel("Username"), "mira");
  await write(page, page.getByLabel("Password"), "short");
  await push(page, page.getByRole("button", { name: "Create account" }));
  await page.getByRole("alert").filter({ hasText: "at least 12" }).waitFor();
  await write(page, page.getByLabel("Password"), "a long enough one");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Library", exact: true }).waitFor();
  await reach(page, page.getByRole("link", { name: "Administration" }));
}
/** By the keyboard alone: the first admin is made. */
export const keysOnlyFirstRun = {
  as: null,
  server: {
    demo: false,
    env: { SAFELIGHT_ADMIN_PASSWORD: "" },
    args: ["--admin-username", ""],
  },
  walk: beginsWithoutMouse,
};

async function looksWithoutMouse({ page: whole, server }) {
  const page = handsOff(whole);
  await page.goto(`${server.url}/login`);
  await push(
    page,
    page.getByRole("button", { name: "Look around as a guest" }),
  );
  await page.waitForURL(`${server.url}/`);
  await reach(page, page.getByRole("treeitem", { name: "demo" }));
  await page.keyboard.press("ArrowRight");
  await reach(
    page,
    page.getByRole("treeitem", { name: "landscapes" }),
    "ArrowDown",
  );
  await page.keyboard.press("Enter");
  await tiles(page, 3);
  await pictures(page);
  assert.equal(await page.getByRole("button", { name: "Upload" }).count(), 0);
  // A key that deletes does nothing here.
  await reach(page, page.locator(current));
  await page.keyboard.press("Delete");
  await page.keyboard.press("Space");
  await page.getByText("1 selected").waitFor();
  for (const name of ["Move to trash", "Tag", "Apply template"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  await reach(page, page.getByRole("button", { name: "Download" }));
  await page.keyboard.press("Escape");
  await page.getByText("1 selected").waitFor({ state: "detached" });
  await whole.waitForFunction(
    () => document.activeElement?.getAttribute("role") === "option",
  ); // the focus is back a frame later
  await tiles(page, 3);
  await page.keyboard.press("Enter");
  await page.locator("img[data-shown]").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
  await page.waitForURL(`${server.url}/f/demo/landscapes`);
}
/** By the keyboard alone: a guest looks at pictures, and can change none. */
export const keysOnlyGuest = {
  as: null,
  server: { args: ["--guest"] },
  walk: looksWithoutMouse,
};

import assert from "node:assert/strict";
import { password } from "../server.mjs";
import { logIn, pictures, settled, tile, tiles, uploadFiles } from "./tab.mjs";

const file = {
  name: "of-mira.txt",
  mimeType: "text/plain",
  buffer: Buffer.from("no picture"),
};

async function takesTurns({ page, context, server }) {
  const admin = await server.login();
  await server.ask(
    admin,
    "mutation($input: CreateUserInput!) { createUser(input: $input) { id } }",
    {
      input: {
        displayName: "Iris",
        username: "iris",
        password: "a long enough one",
        role: "USER",
      },
    },
  );
  await page.goto(`${server.url}/login`);
  await logIn(page, "admin", password);
  // Everything that a tab keeps: a search that is saved, a selection, an upload that has failed, a note with an undo.
  await page.getByRole("link", { name: "Library" }).waitFor();
  await page.goto(`${server.url}/search?q=type%3Ajpeg`);
  await page.getByRole("button", { name: "Save search" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("Secret plans");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Secret plans" }).waitFor();
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  await uploadFiles(page, [file]);
  await page.getByText("of-mira.txt", { exact: true }).waitFor();
  await tile(page, 0).locator("[data-pick]").click({ force: true });
  await page.getByRole("button", { name: "Move to trash" }).click();
  await page.getByText("1 picture moved to trash").waitFor();
  await tile(page, 0).locator("[data-pick]").click({ force: true });
  await page.keyboard.press("Control+k"); // the page stays as it is
  await page.getByRole("combobox", { name: "Go to" }).fill("Log out");
  await page.getByRole("option", { name: "Log out", selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/login\?next=/);
  assert.equal(
    await page.getByText("moved to trash").count(),
    0,
    "the note of who has left is shown",
  );
  await logIn(page, "iris", "a long enough one");
  await page.waitForURL(`${server.url}/`); // not to the page that the other was on
  await page.getByRole("link", { name: "Iris", exact: true }).waitFor();
  const nothing = async (what) => {
    for (const text of [
      "moved to trash",
      "of-mira.txt",
      "Secret plans",
      "1 selected",
    ])
      assert.equal(await page.getByText(text).count(), 0, `${what}: ${text}`);
  };
  await nothing("after the login");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).fill("Secret");
  await nothing("in the palette");
  await page.keyboard.press("Escape");
  const { files } = await server.ask(
    admin,
    '{ files(folder: "demo/landscapes") { totalCount } }',
  );
  assert.equal(
    files.totalCount,
    2,
    "who came next took back what the other did",
  );
  // Another tab of the browser logs out and in again: here too, all is for who is here.
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 2);
  await tile(page, 0).locator("[data-pick]").click({ force: true });
  await page.getByText("1 selected").waitFor();
  const other = await context.newPage();
  await other.goto(`${server.url}/me`);
  await other.getByRole("button", { name: "Log out", exact: true }).click();
  await other.waitForURL(/\/login/);
  await page.waitForURL(/\/login/);
  await logIn(other, "admin", password);
  await other.getByRole("link", { name: "admin", exact: true }).waitFor();
  await page.waitForURL(`${server.url}/`);
  await page.getByRole("link", { name: "Secret plans" }).waitFor();
  assert.equal(await page.getByText("1 selected").count(), 0);
}
/** Two people at one browser: nothing that the first one did, searched, selected or sent is there for the second. */
export const twoPeople = { as: null, walk: takesTurns };

async function keepsDraft({ page, server }) {
  page.on("dialog", (dialog) => void dialog.dismiss()); // "stay": there is nothing to stay on
  await page.goto(`${server.url}/edit/demo/landscapes/dawn.jpg`);
  await page.locator("img[data-rendered]").waitFor();
  await page
    .getByRole("textbox", { name: "URL of the result" })
    .fill("300x200/filters:grayscale()/demo/landscapes/dawn.jpg");
  await page.waitForURL(/grayscale/);
  await page.evaluate(() => {
    localStorage.removeItem("safelight.session");
    dispatchEvent(new StorageEvent("storage", { key: "safelight.session" }));
  });
  await page.waitForURL(/\/login\?next=/);
  await logIn(page, "admin", password);
  await page.waitForURL(/\/edit\/.*grayscale/);
  await page.locator("img[data-rendered]").waitFor();
}
/** A session that ends while a picture is edited: the login leads back to the edit, for the same person. */
export const endedWhileEditing = { walk: keepsDraft };

async function isRefused({ page, server }) {
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(`${server.url}/edit/demo/landscapes/dawn.jpg`);
  await page.locator("img[data-rendered]").waitFor();
  const edit = page.getByRole("textbox", { name: "URL of the result" });
  await edit.fill("310x200/filters:grayscale()/demo/landscapes/dawn.jpg");
  await page.waitForURL(/grayscale/);
  const kept = await page.evaluate(() =>
    localStorage.getItem("safelight.session"),
  );
  const answer = await fetch(`${server.url}/api/auth/logout`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${JSON.parse(kept).token}`,
    },
    body: "{}",
  });
  assert.equal(answer.status, 204);
  const refused = page.waitForURL(/\/login\?next=.*edit.*grayscale/);
  // another request may have noticed before, and the page is gone
  edit
    .fill("320x200/filters:grayscale()/demo/landscapes/dawn.jpg")
    .catch(() => undefined);
  await refused;
}
/** A session that the server has ended while a picture is edited: the next preview leads to the login, which knows the edit. */
export const refusedWhileEditing = { as: "user", walk: isRefused };

async function refreshesTooLate({ page, server }) {
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  let begin;
  const begun = new Promise((resolve) => (begin = resolve));
  await page.route("**/api/auth/refresh", async (route) => {
    const response = await route.fetch();
    begin();
    await held;
    await route.fulfill({ response });
  });
  await page.goto(`${server.url}/me`);
  await page.evaluate((name) => {
    const kept = JSON.parse(localStorage.getItem(name));
    const issuedAt = kept.issuedAt - 3_000_000_000;
    const expiresAt = Date.now() + 600_000; // more than the way to the logout takes
    localStorage.setItem(
      name,
      JSON.stringify({ ...kept, issuedAt, expiresAt }),
    );
  }, "safelight.session");
  await page.reload();
  await begun;
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.waitForURL(/\/login/);
  // The session that the refresh began is ended as well, by a request that comes after its answer.
  const ended = page.waitForRequest("**/api/auth/logout");
  letGo();
  await ended;
  await settled(page);
  assert.equal(
    await page.evaluate(() => localStorage.getItem("safelight.session")),
    null,
  );
  assert.match(page.url(), /\/login/);
}
/** A refresh that is under way does not undo a logout. */
export const refreshTooLate = { as: "user", walk: refreshesTooLate };

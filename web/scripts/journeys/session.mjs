import assert from "node:assert/strict";
import { password } from "../server.mjs";
import { barriers, logIn, tile } from "./tab.mjs";

async function toFirstAdmin({ page, server }) {
  const token =
    /setup token (\S+)/.exec(server.output())?.[1] ??
    /setup#(\S+)/.exec(server.output())?.[1];
  await page.goto(`${server.url}/setup#wrong`);
  await page.getByLabel("Username").fill("mira");
  await page.getByLabel("Password").fill("a long enough one");
  await page.getByRole("button", { name: "Create account" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: "does not accept this token" })
    .waitFor();
  await page.goto("about:blank");
  await page.goto(`${server.url}/setup#${token}`);
  await page.waitForURL(/\/setup$/); // the token is out of the address
  await page.getByLabel("Display name").fill("Mira");
  await page.getByLabel("Username").fill("mira");
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("alert").filter({ hasText: "at least 12" }).waitFor();
  await page.getByLabel("Password").fill("a long enough one");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Library", exact: true }).waitFor();
  assert.deepEqual(await barriers(page), []);
}

/** The address that the first start prints leads to the first admin, and to nothing else. */
export const firstRun = {
  as: null,
  server: {
    demo: false,
    env: { SAFELIGHT_ADMIN_PASSWORD: "" },
    args: ["--admin-username", ""],
  },
  walk: toFirstAdmin,
};

async function comesAndGoes({ page, context, server }) {
  await page.goto(`${server.url}/f/demo/landscapes?sort=size`);
  await page.waitForURL(/\/login\?next=/);
  await logIn(page, "admin", "not the password");
  await page.getByText("Wrong username or password.").waitFor();
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.url}/f/demo/landscapes?sort=size`);
  await tile(page, 0).waitFor();
  await page.reload();
  await tile(page, 0).waitFor();
  const other = await context.newPage();
  await other.goto(`${server.url}/me`);
  await other.getByRole("button", { name: "Log out", exact: true }).click();
  await other.waitForURL(/\/login/);
  await page.waitForURL(/\/login/);
  assert.deepEqual(await context.cookies(), []);
}

/** Login with a wrong password, then the right one; a reload stays logged in; logging out in one tab logs out the other. */
export const session = { as: null, walk: comesAndGoes };

/** A session that the server has ended, and whose token the browser still has, leads from the documentation to the form. */
export async function docsEnded({ page, server, wrong }) {
  await page.goto(server.url);
  await page.getByRole("heading", { name: "Library", exact: true }).waitFor();
  const kept = "safelight.session";
  const session = await page.evaluate((key) => localStorage.getItem(key), kept);
  await page.goto(`${server.url}/docs/`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(
    (await page.context().cookies(`${server.url}/docs/`)).map((c) => c.name),
    ["safelight_docs"],
  );
  await page.evaluate(
    (token) =>
      fetch("/api/auth/logout", {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
        },
        body: "{}",
      }),
    JSON.parse(session).token,
  );
  await page.reload();
  await page.getByRole("link", { name: "Log in", exact: true }).click();
  await page.waitForURL(/\/login\?next=/);
  await page.waitForFunction((key) => !localStorage.getItem(key), kept);
  assert.deepEqual(await page.context().cookies(`${server.url}/docs/`), []);
  await logIn(page, "admin", password);
  await page.waitForURL("**/docs/");
  const refused = wrong.filter((line) => !line.includes("401"));
  wrong.splice(0, wrong.length, ...refused);
}

/** Ends a session of a phone, then all others but the present one; an admin ends those of another account. */
async function endsSessions({ page, server }) {
  await server.ask(
    await server.login(),
    `mutation { createUser(input: { displayName: "Ada", username: "ada", password: "${password}" }) { id } }`,
  );
  const elsewhere = async (name, agent) => {
    const answer = await fetch(`${server.url}/api/auth/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "User-Agent": agent },
      body: JSON.stringify({ username: name, password }),
    });
    const { token } = await answer.json();
    return async () =>
      (
        await fetch(`${server.url}/api/auth/me`, {
          headers: { Authorization: `Bearer ${token}` },
        })
      ).status;
  };
  const phone = await elsewhere(
    "admin",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
  );
  const script = await elsewhere("admin", "backup/1.0");
  await page.goto(`${server.url}/login?next=/me`);
  await logIn(page, "admin", password);
  await page.getByRole("link", { name: "Show sessions" }).click();
  await page.waitForURL("**/me/sessions");
  const rows = page
    .getByRole("main")
    .getByRole("list")
    .first()
    .getByRole("listitem");
  await rows.first().getByText("This session").waitFor();
  await rows
    .first()
    .getByText(/^Chrome/)
    .waitFor();
  assert.deepEqual(await barriers(page), []);
  assert.equal(await phone(), 200);
  await page.getByRole("button", { name: "Log out Safari on iPhone" }).click();
  await page.getByText("Safari on iPhone is logged out").waitFor();
  assert.deepEqual([await phone(), await script()], [401, 200]);
  await page.getByRole("button", { name: "Log out everywhere else" }).click();
  await page.getByText("All other sessions have ended").waitFor();
  assert.equal(await script(), 401);
  await rows.nth(1).waitFor({ state: "detached" });
  assert.equal(await rows.count(), 1);
  await page.reload();
  await rows.first().getByText("This session").waitFor(); // it goes on

  const ada = await elsewhere("ada", "backup/1.0");
  await page.goto(`${server.url}/admin/accounts`);
  await page.getByRole("button", { name: "More for ada" }).click();
  await page.getByRole("menuitem", { name: "Sessions" }).click();
  const dialog = page.getByRole("dialog", { name: "Sessions of ada" });
  await dialog.getByText("backup").waitFor();
  assert.deepEqual(await barriers(page), []);
  await dialog.getByRole("button", { name: "Log out everywhere" }).click();
  await dialog.getByText("Nobody is logged in").waitFor();
  assert.equal(await ada(), 401);
}
export const sessions = { as: null, walk: endsSessions };

async function looksAround({ page, server }) {
  await page.goto(`${server.url}/login`);
  await page.getByRole("button", { name: "Look around as a guest" }).click();
  await page.waitForURL(`${server.url}/`);
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tile(page, 0).waitFor();
  assert.equal(
    await page.getByRole("button", { name: "Upload" }).count(),
    0,
    "a guest is offered to upload",
  );
  await page.goto(`${server.url}/trash`);
  await page.getByText("You don’t have access to this page").waitFor();
}

/** A guest sees pictures, and nothing that would change them. */
export const guest = {
  as: null,
  server: { args: ["--guest"] },
  walk: looksAround,
};

import assert from "node:assert/strict";
import { pictures, settled } from "./tab.mjs";

// What is shown to a guest, a user and an administrator: 1 for those to whom it is.
const folder = "/f/demo/landscapes";
const picture = "/i/demo/landscapes/dawn.jpg?info=1";
const shown = [
  [folder, "button", "Upload", [0, 1, 1]],
  [folder, "button", "New folder", [0, 1, 1]],
  [folder, "link", "Trash", [0, 1, 1]],
  [folder, "link", "Clean up", [0, 1, 1]],
  [folder, "link", "Administration", [0, 0, 1]],
  [picture, "button", "Favorite", [0, 1, 1]],
  [picture, "button", "Move to trash", [0, 1, 1]],
  [picture, "textbox", "Add a description", [0, 1, 1]],
  [picture, "textbox", "Add a tag", [0, 1, 1]],
];

// The addresses that may be opened.
const opened = [
  ["/trash", [0, 1, 1]],
  ["/clean", [0, 1, 1]],
  ...[
    "health",
    "accounts",
    "groups",
    "audit",
    "signing",
    "families",
    "presets",
    "storage",
    "cache",
    "index",
    "settings",
    "diagnosis",
  ].map((name) => [`/admin/${name}`, [0, 0, 1]]),
];

// What the server answers to those who ask all the same.
const asked = [
  [
    'mutation { createFolder(input: {path: "made"}) { folder { path } userErrors { code field } } }',
    [0, 1, 1],
  ],
  [
    'mutation { copyFiles(input: {paths: ["demo/landscapes/dawn.jpg"], folder: "made", name: "dawn.jpg"}) { results { ok error { code message field } } userErrors { code message field } } }',
    [0, 1, 1],
  ],
  [
    'mutation { deleteFiles(input: {paths: ["made/dawn.jpg"]}) { results { ok error { code message field } } userErrors { code message field } } }',
    [0, 1, 1],
  ],
  ["{ trashedFiles(first: 1) { nodes { id } } }", [0, 1, 1]],
  ["{ users { totalCount } }", [0, 0, 1]],
  ["{ serverMetrics { samples { endedAt } } }", [0, 0, 1]],
  ["{ settings { name } }", [0, 0, 1]],
  [
    "mutation { purgeCache(input: { all: true }) { purged { memory } } }",
    [0, 0, 1],
  ],
  [
    'mutation { configureStorage(input: { file: { baseDir: "/nowhere" } }) { storage { kind } } }',
    [0, 0, 1],
  ],
];

/** The code of the answer to a question with the session of the page; null if there is no error. */
const codeOf = (page, query) =>
  page.evaluate(async (text) => {
    const { token } = JSON.parse(localStorage.getItem("safelight.session"));
    const answer = await fetch("/api/graphql", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ query: text }),
    });
    const { errors } = await answer.json();
    return errors ? `${errors[0].extensions.code} ${errors[0].message}` : null;
  }, query);

async function look(page, url, who) {
  const wrong = [];
  for (const address of new Set(shown.map(([path]) => path))) {
    await page.goto(url + address);
    await (address === folder
      ? pictures(page)
      : page.locator("img[data-shown]").waitFor());
    await settled(page);
    for (const [path, role, name, roles] of shown) {
      if (path !== address) continue;
      const count = await page.getByRole(role, { name, exact: true }).count();
      if (count > 0 !== Boolean(roles[who]))
        wrong.push(`${address}: ${count} of ${role} ${name}`);
    }
  }
  for (const [address, roles] of opened) {
    await page.goto(url + address);
    await settled(page);
    const refused = await page
      .getByText("You don’t have access to this page")
      .count();
    if (refused > 0 === Boolean(roles[who]))
      wrong.push(`${address} is ${refused ? "refused" : "opened"}`);
  }
  for (const [query, roles] of asked) {
    const code = await codeOf(page, query);
    const refused = /^(FORBIDDEN|UNAUTHENTICATED) /.test(code ?? "");
    if (refused === Boolean(roles[who])) wrong.push(`${query}: ${code}`);
  }
  return wrong;
}

async function comparesRoles({ page, server, open }) {
  const admin = await server.login();
  await server.ask(
    admin,
    'mutation { createUser(input: { displayName: "Iris", username: "iris", password: "a long enough one", role: USER }) { id } }',
  );
  const guest = await open();
  await guest.goto(`${server.url}/login`);
  await guest.getByRole("button", { name: "Look around as a guest" }).click();
  await guest.waitForURL(`${server.url}/`);
  const user = await open();
  await user.goto(`${server.url}/login`);
  await user.getByLabel("Username").fill("iris");
  await user.getByLabel("Password").fill("a long enough one");
  await user.keyboard.press("Enter");
  await user.waitForURL(`${server.url}/`);
  const found = {};
  for (const [who, [name, tab]] of Object.entries({
    guest,
    user,
    admin: page,
  }).entries())
    found[name] = await look(tab, server.url, who);
  assert.deepEqual(found, { guest: [], user: [], admin: [] });
}

/** What a guest and a user may not do is not shown to them, and is refused when they ask for it. */
export const roles = { server: { args: ["--guest"] }, walk: comparesRoles };

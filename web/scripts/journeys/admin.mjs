import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { password } from "../server.mjs";
import { barriers, logIn } from "./tab.mjs";

/** An administrator makes a user, who then may not administrate; a token that is shown once, and a purge. */
export async function admin({ page, server, open }) {
  await page.goto(`${server.url}/`);
  await page.getByRole("link", { name: "Administration" }).click();
  await page.getByText("The storage responds").waitFor();
  await page.getByText("Requests per second").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("link", { name: "Accounts" }).click();
  await page.getByRole("button", { name: "New account" }).click();
  await page.getByLabel("Username").fill("iris");
  await page.getByRole("button", { name: "Create and invite" }).click();
  const link = await page.getByRole("dialog").locator("code").textContent();
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "API tokens" }).click();
  await page.getByLabel("Name").fill("Build");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "API token Build" }).waitFor();
  await page.getByText("It is shown only once").waitFor();
  const secret = await page.locator("code").textContent();
  const answer = await fetch(`${server.url}/api/auth/me`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  assert.equal(answer.status, 200);
  await page.getByRole("button", { name: "I’ve copied it" }).click();
  await page.getByRole("button", { name: "Revoke Build" }).click();
  await page.getByText("Token revoked").waitFor();
  assert.equal(
    (
      await fetch(`${server.url}/api/auth/me`, {
        headers: { Authorization: `Bearer ${secret}` },
      })
    ).status,
    401,
  );
  await page.getByRole("link", { name: "Audit log" }).click();
  await page
    .getByRole("button", { name: /Account created/ })
    .first()
    .click();
  await page.getByText("Request", { exact: true }).waitFor();
  await page.getByLabel("Action").fill("user");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".action")].every((one) =>
      one.title.startsWith("user."),
    ),
  );
  await page.getByRole("link", { name: "Signing" }).click();
  await page
    .getByLabel("URL of a picture")
    .fill(`${server.url}/unsafe/300x/a.jpg`);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText("There is no signature").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Cache" }).click();
  await page.locator("label", { hasText: "Everything" }).click();
  await page.getByRole("button", { name: "Purge now" }).click();
  await page.getByText(/results? purged/).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Index" }).click();
  await page.getByRole("button", { name: "Scan again" }).click();
  await page.getByText("done").waitFor();
  const other = await open();
  const invited = async (tab) => {
    await tab.goto(link);
    await tab.waitForURL(`${server.url}/setup`); // the token leaves the address
    await tab.getByLabel("Password").fill("a long enough one");
    await tab.getByRole("button", { name: "Log in", exact: true }).click();
  };
  await invited(other);
  await other.waitForURL(`${server.url}/`);
  const late = await open();
  await invited(late);
  await late.getByText("This invitation has already been used").waitFor();
  await late.goto(`${server.url}/login`);
  await logIn(late, "iris", "a long enough one");
  await late.waitForURL(`${server.url}/`);
  await other.getByRole("heading", { name: "Library", exact: true }).waitFor();
  assert.equal(
    await other.getByRole("link", { name: "Administration" }).count(),
    0,
    "a user is offered to administrate",
  );
  await other.goto(`${server.url}/admin/accounts`);
  await other.getByText("You don’t have access to this page").waitFor();
}

async function readsSettings({ page, server }) {
  await page.goto(`${server.url}/admin`);
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  const row = (name) =>
    page
      .getByRole("listitem")
      .filter({ has: page.getByText(name, { exact: true }) });
  await row("guest").getByText("Flag", { exact: true }).waitFor();
  await row("guest").getByText("Default: false").waitFor();
  await row("max-age").getByText("SAFELIGHT_MAX_AGE").waitFor();
  await row("admin-password").getByText("********").waitFor();
  assert.ok(
    !(await page.content()).includes(password),
    "the page holds a secret",
  );
  assert.deepEqual(await barriers(page), []);
  await page
    .getByRole("searchbox", { name: "Find a setting" })
    .fill("guest logins");
  await page.getByText("1 setting", { exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Find a setting" }).fill("");
  await page.getByRole("radio", { name: "All" }).press("ArrowRight");
  await page.waitForURL(/show=changed/);
  await row("max-age").waitFor({ state: "detached" });
  await page.reload();
  await row("guest").waitFor();
  await page
    .getByRole("searchbox", { name: "Find a setting" })
    .fill("nothing has this name");
  await page.getByText("Nothing found").waitFor();
}
/** Every setting with its value and origin, found by words and by whether it is set; secrets are masked. */
export const settings = { server: { args: ["--guest"] }, walk: readsSettings };

/** What doctor finds: all is well, then a key file that others can read, then all is well again. */
export async function diagnosis({ page, server }) {
  const keys = join(server.data, "keys.json");
  const again = page.getByRole("button", { name: "Check again" });
  await page.goto(`${server.url}/admin/diagnosis`);
  await page.getByText("Everything is in order.").waitFor();
  assert.deepEqual(await barriers(page), []);
  chmodSync(keys, 0o644);
  await again.press("Enter");
  await page.getByText("1 check failed.").waitFor();
  const first = page
    .getByRole("region", { name: "Diagnosis" })
    .getByRole("listitem")
    .first();
  await first.getByText("mode 0644").waitFor();
  await first.getByText("Restore the key file").waitFor();
  assert.deepEqual(await barriers(page), []);
  chmodSync(keys, 0o600);
  await again.press("Enter");
  await page.getByText("Everything is in order.").waitFor();
  await page.getByRole("link", { name: /^Settings.*Result cache/ }).click();
  await page.waitForURL(/\/admin\/settings\?q=result-cache/);
  await page.getByText("result-cache-memory", { exact: true }).waitFor();
}

/** A family key is made, shown once and revoked. */
export async function families({ page, server }) {
  await page.goto(`${server.url}/admin/families`);
  await page.getByText("No keys yet").waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("shop");
  await page.getByRole("button", { name: "Create" }).click();
  await page
    .getByRole("heading", { name: "Secret of the family key shop" })
    .waitFor();
  await page.getByText("Copy it now").waitFor();
  assert.match(await page.locator("code").innerText(), /.{20,}/);
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "I’ve copied it" }).click();
  // An id is never used twice.
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("shop");
  await page.getByRole("button", { name: "Create" }).press("Enter");
  await page.locator("[role=alert]").waitFor();
  await page.getByRole("button", { name: "Revoke shop" }).press("Enter");
  await page.getByRole("dialog", { name: "Revoke shop?" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Revoke" })
    .click();
  await page.getByText("shop revoked").waitFor();
  await page
    .getByRole("button", { name: "Revoke shop" })
    .waitFor({ state: "detached" });
}

/** A preset with a parameter is seen on a picture, saved twice, taken back to its first version and deleted. */
export async function presets({ page, server }) {
  await page.goto(`${server.url}/admin/presets`);
  await page.getByRole("button", { name: "New preset" }).click();
  const operations = page.getByRole("textbox", { name: "Operations" });
  const save = page.getByRole("button", { name: "Save", exact: true });
  await page.getByRole("textbox", { name: "Name" }).fill("card");
  // Without operations a picture is as it is, and with a parameter that lacks there is none.
  const preview = page.locator("img[data-preset]");
  await preview.waitFor();
  await operations.fill("fit-in/{width}x0");
  await preview.waitFor({ state: "detached" });
  // The server says what is missing.
  await save.click();
  await page.locator("form [role=alert]").waitFor();
  await page.getByRole("button", { name: "Add a parameter" }).click();
  const parameter = page.getByRole("group", { name: "Parameter 1" });
  await parameter.getByLabel("Default").fill("320");
  await parameter.getByRole("textbox", { name: "Values" }).fill("320, 640");
  await parameter.getByLabel("Parameter", { exact: true }).fill("width");
  await page.locator('img[data-preset^="fit-in/320x0/"]').waitFor();
  assert.deepEqual(await barriers(page), []);
  await save.click();
  await page.getByText("card saved as version 1").waitFor();
  await page.getByText("preset(card,{width})").waitFor();
  await page.getByText("URLs can also have their own operations").waitFor();
  await page.getByRole("button", { name: "Edit card" }).press("Enter");
  await operations.fill("fit-in/{width}x0/filters:grayscale()");
  await page.locator('img[data-preset*="grayscale()"]').waitFor();
  await save.click();
  await page.getByText("card saved as version 2").waitFor();
  await page.getByRole("button", { name: "Edit card" }).click();
  await page.getByRole("button", { name: "Use version 1" }).click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("input")].some(
      (input) => input.value === "fit-in/{width}x0",
    ),
  );
  assert.deepEqual(await barriers(page), []);
  await save.click();
  await page.getByText("card saved as version 3").waitFor();
  await page.getByRole("button", { name: "Delete card?" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByText("card deleted").waitFor();
  await page.getByText("No presets yet.").waitFor();
}

/** In German, what the server says about settings, its health and URLs is German, and the audit log names tokens. */
export const inGerman = {
  tab: { locale: "de-DE" },
  async walk({ page, server }) {
    const session = await server.login();
    const { settings } = await server.ask(
      session,
      "{ settings { name group description } }",
    );
    const main = page.getByRole("main");
    await page.goto(`${server.url}/admin/settings`);
    await main.getByText("PDF-Dateien als Bilder annehmen").waitFor();
    const text = await main.innerText();
    const english = settings.flatMap(({ group, description }) =>
      [description, `${group}\n`].filter((one) => text.includes(one)),
    );
    // "Server" is the same in both languages.
    assert.deepEqual(
      english.filter((one) => one !== "Server\n"),
      [],
    );
    await page.goto(`${server.url}/admin/diagnosis`);
    await main.getByText("trace-endpoint ist nicht gesetzt").waitFor();
    assert.doesNotMatch(
      await main.innerText(),
      /\b(free|the|is|not|can be|cached)\b/,
    );
    await page.goto(`${server.url}/admin/signing`);
    await main
      .getByRole("textbox", { name: "URL eines Bildes" })
      .fill(`${server.url}/unsafe/300x200/filters:blur(3):blurr(4)/a.jpg`);
    await main.getByRole("button", { name: "Prüfen", exact: true }).click();
    await main.getByText("Weichzeichnen (Gauß, Sigma 1.5)").waitFor();
    await main.getByText('Der Filter "blurr" ist unbekannt').waitFor();
    await page.goto(`${server.url}/edit/demo/landscapes/dawn.jpg?p=300x0`);
    await page.getByText("Auf Breite 300 skalieren").waitFor();
    await server.ask(
      session,
      'mutation { createApiToken(input: { name: "Bau", scopes: [READ] }) { secret } }',
    );
    await page.goto(`${server.url}/admin/audit`);
    await main.getByText("token: Bau").waitFor();
  },
};

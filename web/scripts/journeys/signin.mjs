import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { password } from "../server.mjs";
import { barriers, tile } from "./tab.mjs";

const secret = "only-for-this-run";
const program = fileURLToPath(
  new URL("../../../bin/provider", import.meta.url),
);

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** A server whose people sign in through bin/provider, of which scripts/provider says what it does on request. */
async function withProvider() {
  const port = await freePort();
  const app = `http://127.0.0.1:${port}`;
  const provider = spawn(program, ["-app", app, "-id", "northlight"], {
    env: { ...process.env, CLIENT_SECRET: secret },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [printed] = await once(provider.stdout, "data");
  const issuer = printed.toString().trim();

  const folder = mkdtempSync(join(tmpdir(), "safelight-signin-"));
  const file = join(folder, "providers.json");
  const one = {
    id: "northlight",
    name: "Northlight Media",
    issuer,
    clientId: "safelight",
    clientSecretFile: join(folder, "secret"),
    rolesClaim: "groups",
    admins: ["admins"],
    users: ["staff"],
    createAccounts: true,
    linkByEmail: true,
    endSession: true,
  };
  writeFileSync(file, JSON.stringify([one]));
  writeFileSync(one.clientSecretFile, `${secret}\n`);
  return {
    issuer,
    args: [
      ...["--listen", `127.0.0.1:${port}`],
      ...["--base-url", app],
      ...["--sign-in-providers", file],
    ],
    /** Asks the provider for something that OpenID Connect does not define. */
    async test(what, body) {
      const answer = await fetch(`${issuer}/test/${what}`, {
        method: "POST",
        body: body && JSON.stringify(body),
      });
      assert.equal(answer.status, 200);
      return answer.text();
    },
    end() {
      provider.stdin.end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Leads a page to the provider, where a person is chosen. */
async function go(page, person) {
  await page
    .getByRole("link", { name: "Continue with Northlight Media" })
    .click();
  await page.getByRole("link", { name: person }).click();
}

async function logOut(page, server) {
  await page.goto(`${server.url}/me`);
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.waitForURL(/\/login/); // by way of the provider
}

// The visits to the provider, and what the console says of answers that were expected.
function forgive(wrong, issuer, ...statuses) {
  const expected = (line) =>
    line.startsWith(`asked ${issuer}/`) ||
    statuses.some((status) => line.includes(String(status)));
  wrong.splice(0, wrong.length, ...wrong.filter((line) => !expected(line)));
}

async function throughProvider({ page, server, wrong, options }) {
  const admin = await server.login();
  await page.goto(`${server.url}/f/demo/landscapes?sort=size`);
  await page.waitForURL(/\/login\?next=/);
  await page.getByText("or with a password").waitFor();
  assert.deepEqual(await barriers(page), []);
  await go(page, "Ada Reyes");
  await page.waitForURL(`${server.url}/f/demo/landscapes?sort=size`);
  await tile(page, 0).waitFor();
  await page.goto(`${server.url}/admin`);
  await page.getByText("You don’t have access to this page").waitFor();
  await page.goto(`${server.url}/me`);
  await page.getByRole("heading", { name: "Ada Reyes" }).waitFor(); // a name that the ID token does not have
  const wanderer = (await names(server, admin)).find(
    ({ displayName }) => displayName === "Ada Reyes",
  );
  assert.equal(wanderer.username, "ada@northlight.example");
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.waitForURL(/\/login/);
  assert.deepEqual(await page.context().cookies(server.url), []);

  // the provider ends the session of somebody who is working
  await go(page, "Ada Reyes");
  await tile(page, 0).or(page.getByText("demo")).first().waitFor();
  assert.equal(await options.test("logout?sub=a-2"), "200");
  await page.goto(`${server.url}/me`);
  await page.waitForURL(/\/login/);
  forgive(wrong, options.issuer, 401);

  await go(page, "Mira Holm");
  await page.waitForURL(`${server.url}/me`);
  await page.goto(`${server.url}/admin/accounts`);
  await page.getByText("This is you").waitFor();
  await logOut(page, server);

  await go(page, "Nobody");
  await page
    .getByText("Your account at Northlight Media has no access here.")
    .waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Back to login" }).click();
  await page.waitForURL(/\/login/);
  forgive(wrong, options.issuer, 403);
}

async function names(server, session) {
  const query = "{ users { items { username displayName } } }";
  return (await server.ask(session, query)).users.items;
}

async function refused({ page, server, wrong, options, open }) {
  const admin = await server.login();
  const grace = {
    displayName: "Grace",
    username: "grace@northlight.example",
    password,
    role: "ADMIN",
  };
  await server.ask(
    admin,
    "mutation($input: CreateUserInput!) { createUser(input: $input) { id } }",
    { input: grace },
  );
  const failed = page.getByText("This login has failed or expired. Try again.");
  const login = () => page.goto(`${server.url}/login`);
  /** Signs in with an ID token that differs from an honest one. */
  const forged = async (how) => {
    await options.test("forge", how);
    await login();
    await go(page, "Ada Reyes");
  };
  const other = "http://127.0.0.1:1";
  for (const how of [
    { claims: { nonce: "another" } },
    { claims: { iss: other } },
    { claims: { aud: "another" } },
    { claims: { aud: ["safelight", "another"], azp: "another" } },
    { unsigned: true },
    { expires: -120 },
  ]) {
    await forged(how);
    await failed.waitFor();
  }
  await forged({ expires: -40 }); // clocks differ
  await page.waitForURL(`${server.url}/`);
  await logOut(page, server);

  // New keys sign, and the old ones are gone.
  await options.test("rotate");
  await go(page, "Ada Reyes");
  await page.waitForURL((url) => url.origin === server.url && !url.search);
  await logOut(page, server);

  /** What the provider sends a browser back with, which does not follow it. */
  const answerFor = async (tab) => {
    const next = async (url) => {
      const answer = await tab.context().request.get(url, { maxRedirects: 0 });
      return new URL(answer.headers().location, url);
    };
    const asked = await next(
      `${server.url}/api/auth/providers/northlight/begin`,
    );
    const choice = await next(asked.href);
    const request = choice.searchParams.get("request");
    const chosen = `${options.issuer}/chosen?request=${request}&sub=a-2`;
    return next((await next(chosen)).href);
  };
  const returns = async (answer) => {
    await page.goto(answer.href);
    await failed.waitFor();
  };
  const elsewhere = await open();
  await returns(await answerFor(elsewhere)); // the state of another browser
  const mixed = await answerFor(page);
  mixed.searchParams.set("iss", other);
  await returns(mixed); // as if another provider had sent it

  const used = await answerFor(page);
  await page.goto(used.href);
  await page.waitForURL((url) => url.origin === server.url && !url.search);
  await logOut(page, server);
  await returns(used); // a second time
  const fresh = await answerFor(page);
  fresh.searchParams.set("code", used.searchParams.get("code"));
  await returns(fresh); // the code in another sign-in of the same browser

  // An address that the provider has not verified does not lead into the account of that name.
  await login();
  await go(page, "Eve Marsh");
  await page.waitForURL((url) => url.origin === server.url && !url.search);
  const eve = (await names(server, admin)).find(
    ({ displayName }) => displayName === "Eve Marsh",
  );
  assert.equal(eve.username, "eve");
  await page.goto(`${server.url}/admin`);
  await page.getByText("You don’t have access to this page").waitFor();
  forgive(wrong, options.issuer, 401, "net::ERR_FAILED");
}

/** A user, an admin and somebody without access sign in through a provider, to the page that they wanted; a logout ends both sessions. */
export const signInLibrary = {
  as: null,
  server: withProvider,
  walk: throughProvider,
};

/** What a hostile provider, or somebody between it and the browser, changes is refused; new keys and clocks that differ are not. */
export const signInRefused = {
  as: null,
  server: withProvider,
  walk: refused,
};

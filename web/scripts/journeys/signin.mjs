import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { barriers, tile } from "./tab.mjs";

const secret = "only-for-this-run";
const encode = (data) => Buffer.from(data).toString("base64url");

/** An OpenID Connect provider with one page, on which a person chooses who to be. */
async function startProvider() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
  });
  const codes = new Map();
  const json = (response, status, body) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  };
  const token = (asked) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: url,
      aud: "safelight",
      nonce: asked.get("nonce"),
      iat: now,
      exp: now + 300,
      sub: asked.get("person"),
      name: asked.get("person"),
      preferred_username: asked.get("person").toLowerCase(),
      groups: asked.get("person") === "Mira" ? ["admins"] : ["staff"],
    };
    if (asked.get("person") === "Nobody") claims.groups = [];
    const signed = `${encode(JSON.stringify({ alg: "RS256", kid: "1" }))}.${encode(JSON.stringify(claims))}`;
    return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
  };
  const server = http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, url);
    if (pathname === "/.well-known/openid-configuration")
      return json(response, 200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        end_session_endpoint: `${url}/logout`,
      });
    if (pathname === "/keys")
      return json(response, 200, {
        keys: [
          { ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" },
        ],
      });
    if (pathname === "/authorize") {
      const people = ["Mira", "Ada", "Nobody"].map((person) => {
        const code = randomUUID();
        const asked = new URLSearchParams(searchParams);
        asked.set("person", person);
        codes.set(code, asked);
        const back = new URL(asked.get("redirect_uri"));
        back.searchParams.set("code", code);
        back.searchParams.set("state", asked.get("state"));
        return `<p><a href="${back.href.replaceAll("&", "&amp;")}">${person}</a></p>`;
      });
      response.writeHead(200, { "Content-Type": "text/html" });
      return response.end(
        `<!doctype html><title>Who?</title>${people.join("")}`,
      );
    }
    if (pathname === "/logout") {
      response.writeHead(303, {
        Location: searchParams.get("post_logout_redirect_uri"),
      });
      return response.end();
    }
    if (pathname !== "/token") return json(response, 404, {});
    let body = "";
    for await (const part of request) body += part;
    const form = new URLSearchParams(body);
    const asked = codes.get(form.get("code"));
    codes.delete(form.get("code"));
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const basic = `Basic ${Buffer.from(`safelight:${secret}`).toString("base64")}`;
    if (
      request.headers.authorization !== basic ||
      asked?.get("code_challenge") !== challenge
    )
      return json(response, 400, { error: "invalid_grant" });
    json(response, 200, {
      access_token: randomUUID(),
      token_type: "Bearer",
      id_token: token(asked),
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, close: () => server.close() };
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

async function withProvider() {
  const provider = await startProvider();
  const folder = mkdtempSync(join(tmpdir(), "safelight-signin-"));
  const file = join(folder, "providers.json");
  const one = {
    id: "northlight",
    name: "Northlight Media",
    issuer: provider.url,
    clientId: "safelight",
    clientSecretFile: join(folder, "secret"),
    rolesClaim: "groups",
    admins: ["admins"],
    users: ["staff"],
    createAccounts: true,
    endSession: true,
  };
  writeFileSync(file, JSON.stringify([one]));
  writeFileSync(one.clientSecretFile, `${secret}\n`);
  const port = await freePort();
  return {
    args: [
      ...["--listen", `127.0.0.1:${port}`],
      ...["--base-url", `http://127.0.0.1:${port}`],
      ...["--sign-in-providers", file],
    ],
    end() {
      provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function throughProvider({ page, server, wrong }) {
  const go = async (person) => {
    await page
      .getByRole("link", { name: "Continue with Northlight Media" })
      .click();
    await page.getByRole("link", { name: person }).click();
  };
  await page.goto(`${server.url}/f/demo/landscapes?sort=size`);
  await page.waitForURL(/\/login\?next=/);
  await page.getByText("or with a password").waitFor();
  assert.deepEqual(await barriers(page), []);
  await go("Ada");
  await page.waitForURL(`${server.url}/f/demo/landscapes?sort=size`);
  await tile(page, 0).waitFor();
  await page.goto(`${server.url}/admin`);
  await page.getByText("You don’t have access to this page").waitFor();
  await page.goto(`${server.url}/me`);
  await page.getByRole("heading", { name: "Ada" }).waitFor();
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.waitForURL(/\/login/); // by way of the provider
  assert.deepEqual(await page.context().cookies(), []);

  await go("Mira");
  await page.waitForURL(`${server.url}/`);
  await page.goto(`${server.url}/admin/accounts`);
  await page.getByText("This is you").waitFor();
  await page.goto(`${server.url}/me`);
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.waitForURL(/\/login/);

  await go("Nobody");
  await page
    .getByText("Your account at Northlight Media has no access here.")
    .waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Back to login" }).click();
  await page.waitForURL(/\/login/);
  // what the refusal logs, and the visits to the provider
  const rest = wrong.filter(
    (line) =>
      !line.includes("403") && !/^asked \S+\/(authorize|logout)\?/.test(line),
  );
  wrong.splice(0, wrong.length, ...rest);
}

/** A user, an admin and somebody without access sign in through a provider, to the page that they wanted. */
export const signIn = {
  as: null,
  server: withProvider,
  walk: throughProvider,
};

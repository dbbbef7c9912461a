import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { password } from "../server.mjs";
import { barriers, logIn } from "./tab.mjs";

/** What an authenticator app shows: RFC 6238 over a key in base32. */
export function codeOf(key, later = 0) {
  const bits = [...key.replaceAll(" ", "")]
    .map((letter) =>
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
        .indexOf(letter)
        .toString(2)
        .padStart(5, "0"),
    )
    .join("");
  const secret = Buffer.from(
    bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)),
  );
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const sum = createHmac("sha1", secret).update(step).digest();
  const number = sum.readUInt32BE(sum[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Browsers have passkeys for localhost, and for no IP address. */
export const atLocalhost = {
  through: (url) => ({
    url: url.replace("127.0.0.1", "localhost"),
    close() {},
  }),
};

/**
 * A device with a screen lock that recognizes the person. Chromium forgets it when a page is loaded from the network, so it is
 * plugged in again after that, with the passkeys that it had.
 */
export function newDevice(page) {
  const passkeys = new Map();
  let cdp, authenticatorId;
  const remember = ({ credential }) =>
    passkeys.set(credential.credentialId, credential);
  return {
    async plug({ verifies = true } = {}) {
      cdp = await page.context().newCDPSession(page);
      cdp.on("WebAuthn.credentialAdded", remember);
      cdp.on("WebAuthn.credentialAsserted", remember);
      await cdp.send("WebAuthn.enable");
      const options = {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: verifies,
        automaticPresenceSimulation: true,
      };
      ({ authenticatorId } = await cdp.send(
        "WebAuthn.addVirtualAuthenticator",
        { options },
      ));
      for (const credential of passkeys.values())
        await cdp.send("WebAuthn.addCredential", {
          authenticatorId,
          credential,
        });
    },
    // The device would choose from the list of the field by itself.
    unplug: () => cdp?.send("WebAuthn.disable").catch(() => undefined),
    verifies: (isUserVerified) =>
      cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
  };
}

const logOut = async (page, server, device) => {
  await device.unplug();
  await page.goto(`${server.url}/me`);
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.waitForURL(/\/login/);
};

/** The login leads back to the page of the account, where it was left. */
const arrived = (page) =>
  page.getByRole("button", { name: "Log out", exact: true }).waitFor();

/** The recovery codes that a dialog or page shows. */
const shownCodes = (page) =>
  page.getByText(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/).allTextContents();

/** From now on the session has to confirm before it makes recovery codes, as ten minutes after its login. */
async function afterTenMinutes(page) {
  let confirmed = false;
  await page.route("**/api/auth/confirm", async (route) => {
    const response = await route.fetch();
    confirmed ||= response.ok();
    await route.fulfill({ response });
  });
  await page.route("**/api/graphql", (route) => {
    if (confirmed || !/CreateRecoveryCodes/.test(route.request().postData()))
      return route.continue();
    const error = {
      message: "confirm first",
      extensions: { code: "STEP_UP_REQUIRED" },
    };
    return route.fulfill({ json: { data: null, errors: [error] } });
  });
}

async function confirmsAndRecovers({ page, server, wrong, open }) {
  // Another browser is logged in from before the factor: that session ends.
  const other = await open();
  await other.goto(`${server.url}/login?next=/me/security`);
  await logIn(other, "admin", password);
  await other.getByRole("heading", { name: "Passkeys" }).waitFor();
  const device = newDevice(page);
  await page.goto(`${server.url}/login?next=/me`);
  await logIn(page, "admin", password);
  await page.getByRole("link", { name: "Security settings" }).click();
  await page.waitForURL("**/me/security");
  await page.getByRole("heading", { name: "Passkeys" }).waitFor();
  assert.deepEqual(await barriers(page), []);

  await device.plug();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const codes = page.getByRole("dialog", { name: "Recovery codes" });
  await codes.waitFor();
  const recovery = await shownCodes(page);
  assert.equal(recovery.length, 10);
  assert.deepEqual(await barriers(page), []);
  await codes.getByRole("button", { name: "I’ve saved them" }).click();
  await page.getByRole("button", { name: /^Remove Chrome/ }).waitFor();
  await page.getByRole("button", { name: "Set up an authenticator" }).click();
  const setUp = page.getByRole("dialog", { name: "Set up an authenticator" });
  const key = await setUp.locator("code").textContent();
  assert.deepEqual(await barriers(page), []);
  await setUp.getByLabel("Six-digit code").fill("000000");
  await setUp.getByRole("button", { name: "Continue" }).click();
  await setUp.getByText("This code is wrong").waitFor();
  await setUp.getByLabel("Six-digit code").fill(codeOf(key));
  await setUp.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Authenticator app set up").waitFor();

  await other.goto(`${server.url}/me/security`);
  await other.waitForURL(/\/login/);
  await logIn(other, "admin", password);
  await other.getByRole("button", { name: "Use a recovery code" }).click();
  await other.getByLabel("Recovery code").fill(recovery[2]);
  await other.getByRole("button", { name: "Confirm" }).click();

  // Ten minutes later the other browser has to confirm; giving up changes nothing.
  await afterTenMinutes(other);
  await other.getByRole("button", { name: "Create new codes" }).click();
  const confirm = other.getByRole("dialog", { name: "Confirm it’s you" });
  await confirm.getByRole("textbox").waitFor();
  assert.deepEqual(await barriers(other), []);
  await confirm.getByRole("button", { name: "Cancel" }).click();
  await confirm.waitFor({ state: "detached" });
  assert.deepEqual(await shownCodes(other), []);
  await other.getByRole("button", { name: "Create new codes" }).click();
  await other.waitForFunction(() =>
    document.activeElement?.matches("#confirm-identity input"),
  );
  await other.keyboard.type("aaaa-aaaa-aaaa-aaaa");
  await confirm.getByRole("button", { name: "Confirm" }).click();
  await confirm.getByText("This code is wrong").waitFor();
  await confirm.getByRole("textbox").fill(recovery[0]);
  await confirm.getByRole("button", { name: "Confirm" }).click();
  await other.getByRole("dialog", { name: "Recovery codes" }).waitFor();
  const fresh = await shownCodes(other);
  assert.equal(fresh.length, 10);
  await other.getByRole("button", { name: "I’ve saved them" }).click();

  // The password alone opens nothing.
  await logOut(page, server, device);
  await logIn(page, "admin", password);
  await page.getByRole("heading", { name: "Confirm it’s you" }).waitFor();
  assert.equal(
    await page.evaluate(() => localStorage.getItem("safelight.session")),
    null,
  );
  assert.deepEqual(await barriers(page), []);
  await page.getByLabel("Six-digit code").fill("000000");
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("This code is wrong").waitFor();
  await page.getByLabel("Six-digit code").fill(codeOf(key, 1)); // the code of now is used up
  await page.getByRole("button", { name: "Confirm" }).click();
  await arrived(page);

  await logOut(page, server, device);
  await logIn(page, "admin", password);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(recovery[1]);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("This code is wrong").waitFor(); // new ones have replaced it
  await page.getByLabel("Recovery code").fill(fresh[0]);
  await page.getByRole("button", { name: "Confirm" }).click();
  await arrived(page);

  await logOut(page, server, device);
  await logIn(page, "admin", password);
  await page.getByRole("button", { name: "Use a passkey" }).waitFor();
  await device.plug();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await arrived(page);

  await page.goto(`${server.url}/me/sessions`);
  await page.getByRole("heading", { name: "Recent changes" }).waitFor();
  await page.getByText("Recovery code used").first().waitFor();
  await page.getByText("Recovery codes created").waitFor();
  assert.deepEqual(await barriers(page), []);

  await page.goto(`${server.url}/me/security`);
  await page.getByRole("button", { name: /^Remove Authenticator app/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Remove", exact: true })
    .click();
  await page.getByText("Authenticator app removed").waitFor();
  ignoreRefusals(wrong);
}

// What the console says about codes that were refused.
function ignoreRefusals(wrong) {
  const rest = wrong.filter((line) => !/\b(400|401|403)\b/.test(line));
  wrong.splice(0, wrong.length, ...rest);
}

/** A passkey, an app and recovery codes are set up, confirm logins and a sensitive change, and are removed. */
export const factors = {
  as: null,
  server: atLocalhost,
  walk: confirmsAndRecovers,
};

async function withoutPassword({ page, server, wrong }) {
  const device = newDevice(page);
  await page.goto(`${server.url}/login?next=/me/security`);
  await logIn(page, "admin", password);
  await device.plug();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "I’ve saved them" }).click();
  await logOut(page, server, device);

  const enter = page.getByRole("button", { name: "Log in with a passkey" });
  await enter.waitFor();
  assert.deepEqual(await barriers(page), []);
  await device.plug({ verifies: false }); // somebody else holds the device
  await enter.click();
  await page.waitForFunction(
    () => !document.querySelector("[aria-busy]") && document.title,
  );
  assert.match(page.url(), /\/login/);
  await device.verifies(true);
  await enter.click();
  await page.waitForURL("**/me");

  // Chosen from the list of the field, which the device does by itself.
  const token = () =>
    page.evaluate(() => localStorage.getItem("safelight.session"));
  const before = await token();
  await device.unplug();
  await page.goto(`${server.url}/me`);
  await device.plug();
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.waitForFunction((old) => {
    const now = localStorage.getItem("safelight.session");
    return now && now !== old;
  }, before);
  await page.getByRole("button", { name: "Log out", exact: true }).waitFor();
  ignoreRefusals(wrong);
}

/** Somebody signs in with a passkey and nothing else; without verification of the person it opens nothing. */
export const passkeyAlone = {
  as: null,
  server: atLocalhost,
  walk: withoutPassword,
};

async function isRequired({ page, server, wrong, open }) {
  const admin = await server.login();
  await server.ask(
    admin,
    `mutation { createUser(input: { displayName: "Ada", username: "ada", password: "${password}" }) { id } }`,
  );
  const ada = await open();
  await ada.goto(`${server.url}/login`);
  await logIn(ada, "ada", password);
  await ada.getByRole("heading", { name: "Library", exact: true }).waitFor();

  await page.goto(`${server.url}/login?next=/admin/accounts`);
  await logIn(page, "admin", password);
  await page
    .getByRole("checkbox", { name: "Required for administrators" })
    .click();
  await page.getByText("Set up your own second factor first.").waitFor();
  assert.equal(
    await page
      .getByRole("checkbox", { name: "Required for administrators" })
      .isChecked(),
    false,
  );
  await page.getByRole("checkbox", { name: "Required for users" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  assert.deepEqual(await barriers(page), []);

  // Her session has ended; the login leads to setting one up, and nowhere else.
  await ada.goto(`${server.url}/me`);
  await ada.waitForURL(/\/login/);
  await logIn(ada, "ada", password);
  await ada.getByRole("heading", { name: "Set up a second factor" }).waitFor();
  assert.deepEqual(await barriers(ada), []);
  await ada
    .getByRole("button", { name: "Set up an authenticator app" })
    .click();
  const key = await ada.locator("code").textContent();
  await ada.getByLabel("Six-digit code").fill(codeOf(key));
  await ada.getByRole("button", { name: "Continue" }).click();
  await ada.getByRole("heading", { name: "Recovery codes" }).waitFor();
  assert.equal((await shownCodes(ada)).length, 10);
  assert.deepEqual(await barriers(ada), []);
  await ada.getByRole("button", { name: "I’ve saved them" }).click();
  await ada.getByRole("button", { name: "Log out" }).waitFor(); // where she was going
  await ada.goto(`${server.url}/me/security`);
  await ada.getByRole("button", { name: /^Remove Authenticator app/ }).click();
  await ada
    .getByRole("dialog")
    .getByRole("button", { name: "Remove", exact: true })
    .click();
  await ada.getByText("Your role needs a second factor").waitFor();

  // She loses her phone.
  await page.getByRole("button", { name: "More for ada" }).click();
  await page.getByRole("menuitem", { name: "Remove second factors" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("For somebody who has lost").waitFor();
  assert.deepEqual(await barriers(page), []);
  await dialog.getByRole("button", { name: "Remove second factors" }).click();
  await page.getByText("Second factors of ada removed").waitFor();
  await ada.goto(`${server.url}/me`);
  await ada.waitForURL(/\/login/);
  ignoreRefusals(wrong);
}

/** An admin requires a second factor of users: one sets it up at the login, and loses it. */
export const factorRequired = {
  as: null,
  server: atLocalhost,
  walk: isRequired,
};

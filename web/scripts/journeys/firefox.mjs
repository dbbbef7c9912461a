import assert from "node:assert/strict";
import puppeteer from "puppeteer-core";
import { password } from "../server.mjs";
import { patience } from "./tab.mjs";

const path = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
const aria = (role, name) => `::-p-aria([name="${name}"][role="${role}"])`;

/** The main way through the application in Firefox, over WebDriver BiDi: login, grid, search, viewer, an edit, logout. */
export const firefox = {
  async walk({ server }) {
    const browser = await puppeteer
      .launch({
        browser: "firefox",
        executablePath: path,
        headless: true,
        timeout: patience,
        protocolTimeout: patience,
        extraPrefsFirefox: {
          "intl.accept_languages": "en-US",
          "ui.prefersReducedMotion": 1,
        },
      })
      .catch((error) => {
        // A machine on which it does not start says nothing about the application.
        console.log(
          `      SKIP  Firefox does not start: ${error.message.split("\n")[0]}`,
        );
        return null;
      });
    if (!browser) return;
    try {
      await looksAndEdits(browser, server);
    } finally {
      await browser.close();
    }
  },
};

async function looksAndEdits(browser, server) {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  page.setDefaultNavigationTimeout(patience);
  const wrong = [];
  page.on(
    "console",
    (message) => message.type() === "error" && wrong.push(message.text()),
  );
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on(
    "request",
    (request) =>
      /^https?:/.test(request.url()) &&
      new URL(request.url()).origin !== new URL(server.url).origin &&
      wrong.push(`asked ${request.url()}`),
  );
  const at = (path) =>
    page.waitForFunction((wanted) => location.pathname === wanted, {}, path);

  await page.goto(`${server.url}/f/demo/landscapes`);
  await page.locator(aria("textbox", "Username")).fill("admin");
  await page.locator("input[type=password]").fill(password);
  await page.locator("button[type=submit]").click();
  await at("/f/demo/landscapes");
  // Three pictures that are decoded.
  await page.waitForFunction(
    () =>
      document.querySelectorAll("[role=option] img.shown").length === 3 &&
      [...document.querySelectorAll("[role=option] img.shown")].every(
        (one) => one.naturalWidth > 0,
      ),
  );
  await page
    .locator("[role=search] input, input[type=search], [role=combobox]")
    .fill("moon ");
  await page.waitForFunction(
    () =>
      document.querySelectorAll("[role=option]").length === 1 &&
      document.querySelector("[role=option] img.shown"),
  );
  await page.focus("[role=option]");
  await page.keyboard.press("Enter");
  await at("/i/demo/landscapes/moonlight.jpg");
  await page.waitForFunction(
    () => document.querySelector("img[data-shown]")?.naturalWidth > 0,
  );
  await page.keyboard.press("e");
  await at("/edit/demo/landscapes/moonlight.jpg");
  await page.waitForSelector("img[data-rendered]");
  await page.locator(aria("slider", "Brightness")).fill("20");
  await page.waitForFunction(
    () =>
      document
        .querySelector("img[data-rendered]")
        ?.dataset.rendered.includes("brightness(20)") &&
      document.querySelector("img[data-rendered]").naturalWidth > 0,
  );
  await page.keyboard.down("Control");
  await page.keyboard.press("z");
  await page.keyboard.up("Control");
  await page.waitForFunction(
    () =>
      !document
        .querySelector("img[data-rendered]")
        ?.dataset.rendered.includes("brightness"),
  );
  await page.goto(`${server.url}/me`);
  await page.locator(aria("button", "Log out")).click();
  await at("/login");
  assert.equal(
    await page.evaluate(() => localStorage.getItem("safelight.session")),
    null,
  );
  assert.deepEqual(wrong, []);
}

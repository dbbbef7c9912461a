// The documentation at /docs, which the server renders: it is no page of the application.
import assert from "node:assert/strict";
import { password } from "../server.mjs";
import { barriers, barriersInTheme } from "./tab.mjs";

const pages = [
  "",
  "start/first-hour.html",
  "guides/responsive-images.html",
  "guides/gallery.html",
  "reference/settings.html",
  "reference/operations.html",
  "reference/filters/index.html",
  "reference/filters/blur.html",
  "reference/filters/image.html",
  "reference/filters/blurhash.html",
  "reference/schema/files.html",
];

/** The bytes that a page takes before its pictures and without the index of the search. */
async function weigh(page, address) {
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  await client.send("Network.setCacheDisabled", { cacheDisabled: true });
  const kinds = new Map();
  let bytes = 0;
  client.on("Network.responseReceived", ({ requestId, type }) =>
    kinds.set(requestId, type),
  );
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (kinds.get(requestId) !== "Image") bytes += encodedDataLength;
  });
  await page.goto(address, { waitUntil: "networkidle" });
  await client.detach();
  return bytes;
}

const width = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

// Every kind of page: no barrier, nothing wider than the window, and light.
async function readsDocs({ page, server, tab: { colorScheme } }) {
  const found = [];
  await page.goto(`${server.url}/docs/`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  for (const path of pages) {
    const bytes = await weigh(page, `${server.url}/docs/${path}`);
    if (bytes > 60_000) found.push(`${path} takes ${bytes} bytes`);
    for (const picture of await page.locator("article img").all())
      await picture.scrollIntoViewIfNeeded();
    await page.waitForLoadState("networkidle");
    for (const barrier of await barriers(page))
      found.push(`${path}: ${barrier}`);
    if (colorScheme) {
      for (const barrier of await barriersInTheme(page, "light"))
        found.push(`${path}, light: ${barrier}`);
      await page.emulateMedia({ colorScheme });
    }
    const wide = await width(page);
    if (wide > 0) found.push(`${path} is ${wide} px too wide`);
  }
  assert.deepEqual(found, []);
}

export const docsInBothThemes = {
  tab: { colorScheme: "dark" },
  walk: readsDocs,
};

export const docsSmall = {
  tab: { viewport: { width: 390, height: 844 }, hasTouch: true },
  walk: async (tools) => {
    const { page, server } = tools;
    await readsDocs(tools);
    await page.goto(`${server.url}/docs/`);
    const contents = page.getByRole("navigation", { name: "Documentation" });
    assert.equal(await contents.isVisible(), false);
    await page.getByRole("button", { name: "Contents" }).click();
    await contents.getByRole("link", { name: "The gallery" }).click();
    await page.getByRole("heading", { level: 1, name: "gallery" }).waitFor();
  },
};

// From the application to a filter by keyboard, where a value is changed.
export async function docsExample({ page, server }) {
  await page.goto(server.url);
  await page.getByRole("link", { name: "Documentation" }).click();
  await page.waitForURL("**/docs/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("blur");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/reference/filters/blur.html");

  const url = page.getByLabel("The URL of this example");
  await page.getByText("Change the URL: the picture follows.").waitFor();
  await url.fill("300x200/filters:blur(3):grayscale()/samples/welcome.jpg");
  await page.getByText("300 × 200, JPEG,").waitFor();
  await page.getByText("blur(3):grayscale()", { exact: true }).waitFor();
  await page.getByLabel("Compare").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: /Theme/ }).click();
  assert.equal(
    await page.evaluate(() => document.documentElement.dataset.theme),
    "light",
  );
}

// Somebody who is not logged in is asked to, and returns to the page. The console names the refusal.
export const docsLogin = {
  as: null,
  walk: async ({ page, server, wrong }) => {
    await page.goto(`${server.url}/docs/guides/gallery.html`);
    assert.deepEqual(await barriers(page), []);
    await page.getByRole("link", { name: "Log in", exact: true }).click();
    await page.getByLabel("Username").fill("admin");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.waitForURL("**/docs/guides/gallery.html");
    await page.getByRole("heading", { level: 1, name: "gallery" }).waitFor();
    const refused = wrong.filter((line) => !line.includes("401"));
    wrong.splice(0, wrong.length, ...refused);
  },
};

// Links of other sites lead to the page, not to the login. The other site is never really asked.
export async function docsLinked({ page, server, wrong }) {
  const other = "http://other.example/";
  const address = `${server.url}/docs/guides/gallery.html`;
  const heading = page.getByRole("heading", { level: 1, name: "gallery" });
  await page.goto(`${server.url}/docs/`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.route(other, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<a href="${address}">The gallery</a>`,
    }),
  );
  await page.goto(other);
  await page.getByRole("link", { name: "The gallery" }).click();
  await page.waitForURL(address);
  await heading.waitFor();
  assert.deepEqual(wrong.splice(0), [`asked ${other}`]);
}

// Where everybody reads, examples follow who is logged in: nobody, then an account that may change them, then nobody.
export const docsPublic = {
  as: null,
  server: { env: { SAFELIGHT_DOCS: "public" } },
  walk: async ({ page, context, server }) => {
    const change = page.getByText("Change the URL: the picture follows.");
    const reopen = async () => {
      const asked = page.waitForResponse("**/docs/access.json");
      await page.goto(`${server.url}/docs/reference/filters/blur.html`);
      await (await asked).finished();
    };
    await reopen();
    assert.equal(await change.count(), 0);
    const kept = (session) =>
      page.evaluate(
        (text) =>
          text
            ? localStorage.setItem("safelight.session", text)
            : localStorage.removeItem("safelight.session"),
        session && JSON.stringify(session),
      );
    await kept({ token: "of.somebody.earlier" });
    await reopen();
    await kept(await server.login());
    await reopen();
    await change.waitFor();
    await kept(null);
    await reopen();
    assert.equal(await change.count(), 0);
    assert.deepEqual(await context.cookies(`${server.url}/docs/`), []);
  },
};

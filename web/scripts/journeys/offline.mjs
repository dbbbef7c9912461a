import assert from "node:assert/strict";
import { openEditor, rendered } from "./desk.mjs";
import { lendPictures } from "./long.mjs";
import { forgetOutage, pictures, settled, tile, tiles } from "./tab.mjs";

const note = (page) => page.getByText("We’ll retry automatically");

async function staysInGallery({ page, context, server, wrong }) {
  await lendPictures(page, server, await server.login());
  await page.goto(`${server.url}/search`);
  await pictures(page);
  // Far down, where nothing has been asked for yet: the pictures stay, and the rest comes when the network does.
  await context.setOffline(true);
  await page
    .locator(".view")
    .evaluate((view) => view.scrollTo(0, view.scrollHeight));
  await note(page).waitFor();
  await page.locator(".view").evaluate((view) => view.scrollTo(0, 0));
  await pictures(page);
  await page
    .locator(".view")
    .evaluate((view) => view.scrollTo(0, view.scrollHeight));
  await context.setOffline(false);
  await note(page).waitFor({ state: "detached" });
  await pictures(page);
  await settled(page);
  forgetOutage(wrong);
}
/** What is shown stays while the network is gone, is said quietly, and goes on by itself. */
export const offlineGallery = { server: { files: 1000 }, walk: staysInGallery };

/** The viewer shows what it knows of a picture, and offers to try again where it knows nothing. */
export async function offlineViewer({ page, context, server, wrong }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await tile(page, 0).press("Enter");
  await page.locator("img[data-shown]").waitFor();
  await settled(page);
  await context.setOffline(true);
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/forest/);
  await note(page).waitFor();
  await context.setOffline(false);
  await note(page).waitFor({ state: "detached" });
  // The answer about the picture fails, while the page and its parts come.
  let away = true;
  await page.route("**/api/graphql", (route) =>
    away && route.request().postData().includes("query ViewedFile")
      ? route.abort()
      : route.continue(),
  );
  await page.goto(
    `${server.url}/i/demo/landscapes/moonlight.jpg?q=nothing-of-this-name`,
  );
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  away = false;
  // The application also tries again by itself, and may be faster than the click.
  const shown = page.locator("img[data-shown]").waitFor();
  await Promise.race([shown, again.click({ timeout: 10_000 }).catch(() => {})]);
  await shown;
  wrong.splice(
    0,
    wrong.length,
    ...wrong.filter((text) => !/net::ERR_FAILED/.test(text)),
  );
  forgetOutage(wrong);
}

/** The editor renders what it could not as soon as the network is back. */
export async function offlineEditor({ page, context, server, wrong }) {
  await openEditor(page, server, "demo/landscapes/dawn.jpg");
  await settled(page);
  await context.setOffline(true);
  await page
    .getByRole("textbox", { name: "URL of the result" })
    .fill("300x200/filters:grayscale()/demo/landscapes/dawn.jpg");
  await page.getByText("Can’t reach the server").first().waitFor();
  await context.setOffline(false);
  await rendered(page, "grayscale");
  await page.getByText("Can’t reach the server").waitFor({ state: "detached" });
  forgetOutage(wrong);
}

/** A dialog whose file did not come says so, and opens when it can. */
export async function lostDialog({ page, server, wrong }) {
  let away = true;
  await openEditor(page, server, "demo/landscapes/dawn.jpg");
  await page.evaluate(() =>
    sessionStorage.setItem("safelight.reloaded", String(Date.now())),
  ); // the page was loaded again for it already
  await page.route(/\/app\/.*ExportSizes.*\.js/, (route) =>
    away ? route.abort() : route.continue(),
  );
  await page.getByRole("button", { name: "Export sizes" }).click();
  await page.getByText("This part of the page did not load.").waitFor();
  away = false;
  await page.getByRole("dialog", { name: "Export sizes" }).waitFor();
  await page
    .getByText("This part of the page did not load.")
    .waitFor({ state: "detached" });
  wrong.splice(
    0,
    wrong.length,
    ...wrong.filter(
      (text) => !/net::ERR_FAILED|dynamically imported module/.test(text),
    ),
  );
}

/** A page whose part did not come says so only where it is, and comes when it can. */
export async function lostPart({ page, server, wrong }) {
  let away = true;
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await page.evaluate(() =>
    sessionStorage.setItem("safelight.reloaded", String(Date.now())),
  ); // the page was loaded again for it already
  await page.route(/\/app\/.*Timeline.*\.js/, (route) =>
    away ? route.abort() : route.continue(),
  );
  await page.getByRole("link", { name: "Timeline" }).click();
  await page.getByText("The page did not load").waitFor();
  await page.goBack();
  await tiles(page, 3);
  assert.equal(await page.getByText("The page did not load").count(), 0);
  await page.getByRole("link", { name: "Timeline" }).click();
  await page.getByText("The page did not load").waitFor();
  away = false;
  await page.getByRole("slider").or(page.getByRole("option")).first().waitFor();
  assert.equal(await page.getByText("The page did not load").count(), 0);
  wrong.splice(
    0,
    wrong.length,
    ...wrong.filter(
      (text) => !/net::ERR_FAILED|dynamically imported module/.test(text),
    ),
  );
}

const elsewhere = {
  "/map": "pictures have no place",
  "/templates": "No templates yet",
  "/clean": "No duplicates",
  "/trash": "The trash is empty",
  "/me/sessions": "This session",
  "/me/security": "shows a new six-digit code",
  "/admin/accounts": "This is you",
  "/admin/tokens": "Robot",
  "/admin/audit": "Logged in",
  "/admin/signing": "Length of signatures",
  "/admin/families": "No keys yet",
  "/admin/presets": "No presets yet",
  "/admin/fonts": "No fonts have been added",
  "/admin/cache": "Hit rate",
  "/admin/storage": "responds",
  "/admin/index": "Last scan",
  "/admin/settings": "SAFELIGHT_BASE_URL",
  "/admin/diagnosis": "Image engine",
};

/** Every other page says that it cannot reach the server, and shows what it is for once it can, without a hand. */
export async function offlineElsewhere({ page, server, wrong }) {
  const session = await server.login();
  await server.indexed(session);
  await server.ask(
    session,
    'mutation { createApiToken(input: { name: "Robot", scopes: [READ] }) { secret } }',
  );
  let away = true;
  await page.route("**/api/graphql", (route) =>
    away ? route.abort("internetdisconnected") : route.continue(),
  );
  const main = page.getByRole("main");
  const lost = page.getByText("Can’t reach the server");
  for (const [path, text] of Object.entries(elsewhere)) {
    away = true;
    await page.goto(server.url + path);
    await lost.first().waitFor();
    away = false;
    await main.getByText(text).first().waitFor();
    await lost.first().waitFor({ state: "detached" });
  }
  forgetOutage(wrong);
}

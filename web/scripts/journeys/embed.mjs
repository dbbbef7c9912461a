import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { password } from "../server.mjs";
import { barriers, logIn, pictures, tile } from "./tab.mjs";

// Pages of other sites: a name that is not the address of the server, so that the browser takes them for another site.
const hostPage =
  '<!doctype html><html lang="en"><title>CMS</title><h1>CMS</h1><script>got = []; addEventListener("message", (e) => got.push({ origin: e.origin, ...e.data }))</script>';
const example = readFileSync(
  new URL("../../../examples/embedding/index.html", import.meta.url),
);
const sites = [];
async function site() {
  const server = createServer((request, response) =>
    response
      .setHeader("Content-Type", "text/html")
      .end(request.url.startsWith("/example") ? example : hostPage),
  );
  await new Promise((resolve) => server.listen(0, "localhost", resolve));
  sites.push(server);
  return `http://localhost:${server.address().port}`;
}

const dawn = "demo/landscapes/dawn.jpg";
const pick = (server, origin, more = "") =>
  `${server.url}/pick?origin=${encodeURIComponent(origin)}&folder=demo/landscapes${more}`;

async function picksAndEdits({ context, server, cms, attacker }) {
  const page = await context.newPage();
  await page.goto(cms);
  const show = (address) =>
    page.evaluate(
      (src) => (
        document.querySelector("iframe")?.remove(),
        document.body.append(
          Object.assign(document.createElement("iframe"), {
            src,
            width: 900,
            height: 600,
            title: "Pictures",
          }),
        )
      ),
      address,
    );
  const frame = page.frameLocator("iframe");
  const received = async (n) => (
    await page.waitForFunction((wanted) => window.got.length >= wanted, n),
    page.evaluate(() => window.got)
  );

  // One picture, in a frame. Chromium refuses storage to frames of other sites (its shell does not): the session ends with the frame.
  await show(pick(server, cms, "&width=600&type=jpeg"));
  await logIn(frame, "admin", password);
  await frame.locator("[role=option]").first().click();
  await frame.getByText("1 selected").waitFor();
  await frame.getByRole("button", { name: "Use this picture" }).click();
  const [first] = await received(1);
  assert.equal(first.origin, new URL(server.url).origin);
  assert.equal(first.type, "picked");
  const [file] = first.files;
  assert.deepEqual(
    [first.files.length, file.width, file.path.startsWith("demo/landscapes/")],
    [1, 600, true],
  );
  assert.match(
    file.srcset,
    new RegExp(`^${server.url}\\S+ 480w, ${server.url}\\S+ 600w$`),
  );
  const answer = await fetch(file.url);
  assert.equal(
    answer.headers.get("content-type")?.startsWith("image/"),
    true,
    `${file.url} is no picture`,
  );

  // An edit; the login leads back to it.
  await show(
    `${server.url}/edit/${dawn}?origin=${encodeURIComponent(cms)}&p=300x200`,
  );
  await logIn(frame, "admin", password);
  await frame.locator("img[data-rendered]").waitFor();
  await frame.getByRole("button", { name: "Use this picture" }).click();
  const edited = (await received(2))[1].files[0];
  assert.deepEqual(
    [edited.path, edited.width, edited.height],
    [dawn, 300, 200],
  );
  assert.equal((await fetch(edited.url)).status, 200);
  await show(pick(server, cms));
  await logIn(frame, "admin", password);
  await frame.getByRole("button", { name: "Cancel" }).click();
  assert.equal((await received(3))[2].type, "canceled");

  const closing = (error) => assert.match(error.message, /has been closed/);
  // Several pictures by keyboard, in a window, which has the session of the browser.
  const opens = async (from, address) =>
    (
      await Promise.all([
        from.waitForEvent("popup"),
        from.evaluate(
          (url) => void open(url, "", "width=700,height=600"),
          address,
        ),
      ])
    )[0];
  const popup = await opens(page, pick(server, cms, "&multiple=true"));
  await pictures(popup);
  await tile(popup, 0).focus();
  await popup.keyboard.press("Space");
  await popup.keyboard.press("ArrowRight");
  await popup.keyboard.press("Space");
  await popup.getByRole("button", { name: "Use 2 pictures" }).waitFor();
  assert.deepEqual(await barriers(popup), []);
  const closed = popup.waitForEvent("close");
  await popup.keyboard.press("Control+Enter").catch(closing); // the window closes on the way down
  await closed;
  assert.equal((await received(4))[3].files.length, 2);

  // The page of examples/embedding.
  await page.goto(`${cms}/example?server=${server.url}`);
  const [chosen] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("button", { name: "Pick a picture" }).click(),
  ]);
  await chosen.getByRole("link", { name: "demo" }).click();
  await chosen.waitForURL(/folder=demo/);
  await pictures(chosen);
  await tile(chosen, 0).focus();
  await chosen.keyboard.press("Enter");
  await chosen.getByText("1 selected").waitFor();
  await chosen.keyboard.press("Enter").catch(closing);
  await page.locator("#pictures img").waitFor();
  await page.waitForFunction(
    () => document.querySelector("#pictures img").naturalWidth > 0,
  );

  // A site that is not listed gets neither a frame nor a picture, whatever name it gives.
  const bad = await context.newPage();
  await bad.goto(attacker);
  await bad.evaluate(
    (src) =>
      document.body.append(
        Object.assign(document.createElement("iframe"), {
          src,
          onload: (event) => (event.target.dataset.loaded = "1"),
        }),
      ),
    pick(server, cms),
  );
  await bad.locator("iframe[data-loaded]").waitFor();
  assert.match(bad.frames().at(-1).url(), /^chrome-error:/);
  const refused = await opens(bad, pick(server, attacker));
  await refused
    .getByRole("heading", { name: "This site may not use the picker" })
    .waitFor();
  assert.deepEqual(await barriers(refused), []);
  await refused.close();
  const lent = await opens(bad, pick(server, cms));
  await pictures(lent);
  await tile(lent, 0).click();
  const gone = lent.waitForEvent("close");
  await lent.getByRole("button", { name: "Use this picture" }).click();
  await gone;
  assert.deepEqual(
    await bad.evaluate(
      () => new Promise((resolve) => setTimeout(() => resolve(window.got))),
    ),
    [],
  );
}

/** A page of another site picks and edits; one that is not listed gets nothing. */
export const embed = {
  tab: { unwatched: true },
  whole: true,
  async server() {
    const [cms, attacker] = [await site(), await site()];
    return { args: ["--frame-ancestors", cms], cms, attacker };
  },
  async walk(all) {
    try {
      await picksAndEdits({ ...all, ...all.options });
    } finally {
      for (const server of sites.splice(0))
        server.close(server.closeAllConnections());
    }
  },
};

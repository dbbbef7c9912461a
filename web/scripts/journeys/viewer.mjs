import assert from "node:assert/strict";
import { join } from "node:path";
import { barriers, tile } from "./tab.mjs";

/** Zoom, neighbors, snippets, focal point and tags. */
export async function viewer({ page, context, server }) {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: new URL(server.url).origin,
  });
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tile(page, 0).locator("img.shown").waitFor();
  await tile(page, 0).focus();
  await page.keyboard.press("Enter");
  await page.locator("img[data-shown]").waitFor();
  await page.getByText("1 of 3").waitFor();
  await page.locator(".percent").waitFor();
  const started = page.url();
  const source = () => page.locator("img[data-shown]").getAttribute("src");
  const fitted = await source();
  await page.keyboard.press("z");
  await page.waitForFunction(() =>
    /100/.test(document.querySelector(".percent").textContent),
  );
  for (let i = 0; i < 4; i++) await page.keyboard.press("+");
  await page.waitForFunction(
    (before) =>
      document.querySelector("img[data-shown]").getAttribute("src") !== before,
    fitted,
  );
  await page.keyboard.press("z");
  await page.keyboard.press("ArrowRight");
  await page.getByText("2 of 3").waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.waitForURL(started);
  await page.keyboard.press("i");
  await page.getByRole("heading", { name: "Use this picture" }).waitFor();
  for (const [kind, begins] of [
    ["<img>", "<img"],
    ["<picture>", "<picture>"],
    ["React", "<picture>"],
    ["Next.js", "import Image"],
    ["Markdown", "!["],
    ["CSS", "background"],
    ["URL", "http"],
  ]) {
    await page.getByRole("radio", { name: kind, exact: true }).check();
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.waitForFunction(
      async (start) => (await navigator.clipboard.readText()).startsWith(start),
      begins,
    );
    if (kind === "<picture>") {
      const urls = (
        await page.evaluate(() => navigator.clipboard.readText())
      ).match(/http\S+(?= \d+w)/g);
      assert.equal(
        new Set(urls.map((url) => url.split("/family(")[0])).size,
        1,
        "the picture has several signatures",
      );
      const small = urls.find((url) => url.includes("/480w,webp/"));
      assert.equal(
        (await fetch(small)).headers.get("content-type"),
        "image/webp",
        small,
      );
      assert.equal(
        (await fetch(small.replace("480w,webp/", "481w,webp/"))).status,
        403,
      );
    }
  }
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(
    (await fetch(copied)).headers.get("content-type")?.startsWith("image/"),
    true,
    `${copied} is no picture`,
  );
  await page.getByRole("button", { name: "Set", exact: true }).click();
  const box = await page.locator(".picture").boundingBox();
  await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.75);
  await page.waitForFunction(() =>
    document.querySelector("figure img").style.objectPosition.startsWith("0%"),
  );
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Escape");
  await page.getByLabel("Add a tag").fill("evening, sea");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove tag: evening" }).click();
  await page
    .getByRole("button", { name: "Remove tag: evening" })
    .waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: "Remove tag: sea" }).waitFor();
  await page.getByText("1 of 3").waitFor();
  await withoutFamilies(page);
  await page.locator(".stage").click();
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/f\/demo\/landscapes/);
}

// A server that signs presets only offers a URL without a word; any other refusal is said.
async function withoutFamilies(page) {
  const families = /FamilyForUse/;
  let code = "FORBIDDEN";
  await page.route("**/api/graphql", (route) =>
    families.test(route.request().postData() ?? "")
      ? route.fulfill({
          json: {
            errors: [
              { message: `the family is ${code}`, extensions: { code } },
            ],
          },
        })
      : route.fallback(),
  );
  await page.reload();
  await page.getByRole("radio", { name: "Markdown", exact: true }).waitFor();
  await page
    .getByRole("radio", { name: "React", exact: true })
    .waitFor({ state: "detached" });
  assert.equal(await page.getByText("the family is FORBIDDEN").count(), 0);
  code = "INVALID";
  await page.reload();
  await page.getByText("the family is INVALID").waitFor();
  await page.unroute("**/api/graphql");
  await page.reload();
  await page.getByRole("radio", { name: "React", exact: true }).waitFor();
}

/**
 * A snippet follows the file or stays with its version; the picture is replaced in the viewer, and the undo brings it
 * back.
 */
export async function replacedInViewer({ page, server }) {
  await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg?info=1`);
  const text = page.getByLabel("Text to copy");
  const copied = async (part) => {
    await page.waitForFunction(
      (wanted) =>
        document
          .querySelector('pre[aria-label="Text to copy"]')
          ?.textContent.includes(wanted),
      part,
    );
    return text.textContent();
  };
  /** What a page would get that has the snippet: who may keep it, and which bytes. */
  const got = (url) =>
    page.evaluate(async (address) => {
      const answer = await fetch(address, { cache: "no-store" });
      return {
        control: answer.headers.get("cache-control"),
        bytes: [
          ...new Uint8Array(
            await crypto.subtle.digest("SHA-256", await answer.arrayBuffer()),
          ),
        ].join(),
      };
    }, url);
  const following = await copied("max_age(300)");
  const before = await got(following);
  assert.equal(before.control, "public, max-age=300, no-transform");
  await page.getByText("<picture>", { exact: true }).click();
  const picture = await copied("<picture>");
  assert.match(picture, /max_age\(300\)/);
  assert.doesNotMatch(picture, /\?v=/);
  await page.getByText("URL", { exact: true }).click();
  await page.getByText("Keep this version").click();
  const pinned = await copied("?v=");
  assert.match((await got(pinned)).control, /max-age=31536000.*immutable/);

  const face = page
    .getByRole("navigation", { name: "Pictures beside this one" })
    .getByRole("link", { name: "dawn.jpg" })
    .locator("img");
  const old = await face.getAttribute("src");
  const chosen = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Replace this picture" }).click();
  await (
    await chosen
  ).setFiles(join(server.data, "files/demo/landscapes/moonlight.jpg"));
  await page.getByText("Replaced dawn.jpg").waitFor();
  await page.waitForFunction(
    ([image, before]) => image.getAttribute("src") !== before,
    [await face.elementHandle(), old],
  );
  const after = await got(following);
  assert.notEqual(after.bytes, before.bytes);
  // What was pinned is the old version, which nobody is to keep any more; what is copied now is the new one.
  assert.equal(
    (await got(pinned)).control,
    "private, no-cache, must-revalidate, no-transform",
  );
  await page.waitForFunction((old) => {
    const now = document.querySelector(
      'pre[aria-label="Text to copy"]',
    )?.textContent;
    return now?.includes("?v=") && now !== old;
  }, pinned);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Restored dawn.jpg").waitFor();
  assert.equal((await got(following)).bytes, before.bytes);
}

/** A picture of the home page, which shows all of them with the newest first, has the same neighbors after a reload. */
export async function neighborsAfterReload({ page, server }) {
  await page.goto(server.url);
  await tile(page, 1).locator("img.shown").waitFor();
  await tile(page, 1).click();
  const position = page.getByText(/^2 of /);
  await position.waitFor();
  const said = await position.textContent();
  const started = page.url();
  await page.keyboard.press("ArrowRight");
  await page.getByText(/^3 of /).waitFor();
  const next = new URL(page.url()).pathname;
  await page.keyboard.press("ArrowLeft");
  await page.waitForURL(started);
  await page.reload();
  await page.getByText(said, { exact: true }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByText(/^3 of /).waitFor();
  assert.equal(new URL(page.url()).pathname, next);

  // what the menu knows of the list stays
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Properties" }).click();
  await page.waitForURL(/in=&sort=changed&info=1$/);
}

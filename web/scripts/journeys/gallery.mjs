import assert from "node:assert/strict";
import { copyFileSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  barriers,
  forgetOutage,
  pictures,
  settled,
  tile,
  tiles,
  uploadFiles,
} from "./tab.mjs";

/** Selecting, opening, closing and searching without a mouse. */
export async function keyboard({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  // Nothing has the focus, then a link beside the pictures.
  await page.keyboard.press("Control+a");
  await page.getByText("3 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("3 selected").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Albums" }).focus();
  await page.keyboard.press("Control+a");
  await page.getByText("3 selected").waitFor();
  await tile(page, 0).focus();
  await page.keyboard.press("Escape");
  await page.getByText("3 selected").waitFor({ state: "detached" });
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowRight");
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+a");
  await page.getByText("3 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/i\/demo\/landscapes\//);
  await page.locator("img[data-shown]").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/f\/demo\/landscapes/);
  await pictures(page);
  await page.keyboard.press("/");
  await page.keyboard.type("dawn type:jpg ");
  await page.getByRole("button", { name: "Remove filter: JPG" }).waitFor();
  await tiles(page, 1);
  // A field of which everything has become a filter is empty.
  await page.keyboard.press("Control+a");
  await page.keyboard.type("is:landscape ");
  await page
    .getByRole("button", { name: "Remove filter: Landscape" })
    .waitFor();
  assert.equal(await page.getByRole("combobox").inputValue(), "");
}

/** The folders above the one that is open can be read and clicked in a window of every width. */
export async function narrowTrail({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  const above = page
    .getByRole("navigation", { name: "Folder path" })
    .getByRole("link", { name: "demo" });
  for (const width of [1280, 1100, 1000, 820, 700, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await settled(page);
    const box = await above.boundingBox();
    assert.ok(box?.width > 30, `${box?.width} px at ${width} px`);
    const end = await page.locator(".trail").boundingBox();
    assert.ok(box.x + box.width <= end.x + end.width, `cut off at ${width} px`);
  }
  await above.click();
  await page.waitForURL(/\/f\/demo$/);
}

/** To the trash with undo, and back from the trash. */
export async function trashAndRestore({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("Delete");
  await tiles(page, 2);
  await page.getByRole("button", { name: "Undo" }).click();
  await tiles(page, 3);
  for (const left of [2, 1]) {
    await tile(page, 1).focus();
    await page.keyboard.press("Delete");
    await tiles(page, left);
  }
  await page.goto(`${server.url}/trash`);
  await page.getByRole("button", { name: "Restore forest.jpg" }).click();
  await page.getByText("1 item restored").waitFor();
  await page.getByRole("checkbox").first().check();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Restore 1" }).click();
  await page.getByText("The trash is empty").waitFor();
}

/** A picture moves to a new folder and back. */
export async function moveWithUndo({ page, server }) {
  await page.goto(`${server.url}/f/demo/patterns`);
  await tiles(page, 3);
  await tile(page, 0).focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByLabel(/New folder in/).fill("Press");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Move", exact: true })
    .click();
  await page.getByText("1 picture moved to demo/patterns/Press").waitFor();
  await tiles(page, 2);
  await page.getByRole("button", { name: "Undo" }).click();
  await tiles(page, 3);
}

/** Pictures dragged to a folder of the tree and back by undo, and selected by a rubber band. */
export async function drag({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  // From the empty part below the last picture up over all of them.
  const view = await page.locator(".view").boundingBox();
  await page.mouse.move(view.x + view.width - 60, view.y + view.height - 20);
  await page.mouse.down();
  await page.mouse.move(view.x + 40, view.y + 40, { steps: 8 });
  await page.getByText("3 selected").waitFor();
  await page.mouse.up();
  await page.getByText("3 selected").waitFor();
  await page.mouse.click(view.x + view.width - 60, view.y + view.height - 20);
  await page.getByText("3 selected").waitFor({ state: "detached" });
  for (const n of [0, 1])
    await tile(page, n).locator("[data-pick]").click({ force: true });
  await page.getByText("2 selected").waitFor();
  await tile(page, 1).dragTo(page.getByRole("treeitem", { name: "patterns" }));
  await page.getByText("2 pictures moved to demo/patterns").waitFor();
  await tiles(page, 1);
  await page.getByRole("button", { name: "Undo" }).click();
  await tiles(page, 3);
}

/** A selection is downloaded as one ZIP. */
export async function download({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await tile(page, 0).press("Control+a");
  await page.getByText("3 selected").waitFor();
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download 3 files as ZIP" }).click();
  assert.match(
    (await started).suggestedFilename(),
    /^landscapes 20\d\d-\d\d-\d\d\.zip$/,
  );
  const file = await (await started).path();
  const zip = readFileSync(file);
  assert.equal(zip.subarray(0, 4).toString("latin1"), "PK\x03\x04");
  for (const name of ["dawn.jpg", "forest.jpg", "moonlight.jpg"])
    assert.ok(zip.includes(name), `${name} is not in the ZIP`);
}

/** A picture with transparent parts stands on the page, not on its own color: a logo in one color would not be seen. */
export async function transparent({ page, server }) {
  await page.goto(`${server.url}/f/demo/transparent`);
  await pictures(page);
  await page.waitForFunction(() =>
    getComputedStyle(
      document.querySelector("[role=option] .picture"),
    ).background.startsWith("rgba(0, 0, 0, 0) none"),
  );
}

/** Stars and favorites: set on a selection, seen in the viewer, found by a filter. */
export async function ratings({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  // By keys: the focused picture, and what is selected with Ctrl and a click. The undo brings back what each had.
  const rated = (n) => page.getByRole("option", { name: `${n} star` });
  await tile(page, 1).focus();
  await page.keyboard.press("3");
  await rated(3).waitFor();
  for (const n of [1, 2])
    await tile(page, n).click({ modifiers: ["ControlOrMeta"] });
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("5");
  await page.getByText("2 pictures rated").waitFor();
  await tile(page, 2).and(rated(5)).waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await tile(page, 1).and(rated(3)).waitFor();
  await rated(5).first().waitFor({ state: "detached" });
  assert.equal(await rated("").count(), 1);
  await tile(page, 1).press("Escape");
  await tile(page, 0).press("Space");
  await page.getByRole("button", { name: "Rate" }).click();
  // Leaving the page aborts the request, and a message of the first rating may still be shown.
  const answered = page.waitForResponse((response) =>
    /mutation RateFiles\b/.test(response.request().postData() ?? ""),
  );
  await page.getByRole("menuitem", { name: "4 stars" }).click();
  await answered;
  await page.getByText("1 picture rated").last().waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}/f/demo/landscapes?q=rating%3A4`);
  await tiles(page, 1);
  await tile(page, 0).press("Enter");
  await page.locator("img[data-shown]").waitFor();
  await page.getByRole("button", { name: "Favorite" }).click();
  await page.locator("[aria-label=Favorite][aria-pressed=true]").waitFor();
  await page.keyboard.press("0");
  await page
    .getByRole("img", { name: "4 stars" })
    .waitFor({ state: "detached" });
  await page.keyboard.press("5");
  await page.getByRole("img", { name: "5 stars" }).waitFor();
  await page.keyboard.press("i");
  await page
    .locator('dl[aria-label="File size of each format at this width"] dd')
    .first()
    .waitFor();
  await settled(page);
  const asked = [];
  page.on(
    "request",
    (request) =>
      /query FileForUse\b/.test(request.postData() ?? "") &&
      asked.push(request.url()),
  );
  await page.locator("label", { hasText: "2 stars" }).click();
  await page.waitForFunction(
    () => document.querySelectorAll(".stars .lit").length === 2,
  );
  await settled(page);
  assert.deepEqual(
    asked,
    [],
    "a rating asks for the addresses of the picture again",
  );
  assert.deepEqual(await barriers(page), []);
  await page.goto(`${server.url}/f/demo/landscapes?q=is%3Afavorite`);
  await tiles(page, 1);
  await page.goto(`${server.url}/f/demo/landscapes?q=rating%3A4`);
  await page.getByText("Nothing found").waitFor();
}

const spread = [
  "landscapes/dawn.jpg",
  "landscapes/forest.jpg",
  "landscapes/moonlight.jpg",
  "patterns/julia.jpg",
  "patterns/facets.jpg",
  "patterns/arcs.png",
  "transparent/bubbles.png",
  "animated/orbit.gif",
];
// Each picture in another year, the first one in 2018.
const inYears = (files) =>
  spread.forEach((name, i) =>
    utimesSync(
      join(files, "demo", name),
      new Date(Date.UTC(2018 + i, 4, 2)),
      new Date(Date.UTC(2018 + i, 4, 2)),
    ),
  );

async function scrubs({ page, context, server, wrong }) {
  await page.goto(`${server.url}/timeline`);
  await page
    .getByRole("group", { name: "May 2025" })
    .getByRole("option", { name: "orbit.gif" })
    .waitFor();
  const scrubber = page.getByRole("slider", { name: "Go to a month" });
  assert.equal(
    await scrubber.getAttribute("aria-valuetext"),
    "May 2025, 1 picture",
  );
  await scrubber.press("End");
  const oldest = page.getByRole("group", { name: "May 2018" });
  await oldest.getByRole("option", { name: "dawn.jpg" }).waitFor();
  await page.waitForFunction(
    () => document.querySelector(".view").scrollTop > 400,
  );
  await page
    .getByRole("group", { name: "May 2025" })
    .waitFor({ state: "detached" });
  await oldest.getByRole("option").press("ArrowUp");
  await page.waitForFunction(
    () => document.activeElement.getAttribute("aria-label") === "forest.jpg",
  );
  await page.keyboard.press("Space");
  await page.getByText("1 selected").waitFor();
  assert.deepEqual(await barriers(page), []);
  // All of it, months that are far away included.
  await page.keyboard.press("Control+a");
  await page.getByText("8 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("8 selected").waitFor({ state: "detached" });
  // What could not be asked for comes when the network does.
  await context.setOffline(true);
  await page.keyboard.press("/");
  await page.keyboard.type("forest ");
  await page.getByText("The pictures did not load").waitFor();
  await context.setOffline(false);
  await page.getByRole("option", { name: "forest.jpg" }).press("Enter");
  await page.waitForURL(/\/i\/demo\/landscapes\/forest\.jpg/);
  await page.locator("img[data-shown]").waitFor();
  forgetOutage(wrong);
}
/** Pictures by month, and a scrubber that leads to the first of them. */
export const timeline = { server: { prepare: inYears }, walk: scrubs };

async function selectsFar({ page, server }) {
  await page.goto(`${server.url}/timeline`);
  await page
    .getByRole("group", { name: "May 2025" })
    .getByRole("option", { name: "orbit.gif" })
    .focus();
  // Each list comes long after the months nearby have settled.
  await page.route("**/api/graphql", async (route) => {
    if (/query Files\b/.test(route.request().postData() ?? ""))
      await new Promise((resolve) => setTimeout(resolve, 250));
    await route.fallback();
  });
  await page.keyboard.press("Control+a");
  await page.getByText("8 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.unroute("**/api/graphql");
}
/** All pictures of a timeline are selected from its first month, over a slow line. */
export const selectFarMonths = {
  server: { prepare: inYears },
  tab: { viewport: { width: 900, height: 260 } },
  walk: selectsFar,
};

async function keepsOne({ page, server }) {
  await page.goto(`${server.url}/clean`);
  await page
    .getByRole("button", { name: /^Keep this one.*landscapes.dawn.jpg/ })
    .click();
  await page.getByText("1 picture moved to trash").waitFor();
  await page.getByText("No duplicates").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page
    .getByRole("button", { name: /^Keep this one.*patterns.sunrise.jpg/ })
    .waitFor();
  assert.deepEqual(await barriers(page), []);
  // The same picture in another size looks the same.
  const session = await server.login();
  const { file } = await server.ask(
    session,
    '{ file(path: "demo/landscapes/forest.jpg") { url(operations: {width: 400}) } }',
  );
  const smaller = Buffer.from(
    await (await fetch(new URL(file.url, server.url))).arrayBuffer(),
  );
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tile(page, 0).waitFor();
  await uploadFiles(page, [
    { name: "small.jpg", mimeType: "image/jpeg", buffer: smaller },
  ]);
  await tiles(page, 4);
  await server.indexed(session);
  await page.goto(`${server.url}/clean`);
  await page.getByRole("radio", { name: "Similar" }).check();
  const group = page
    .getByRole("region", { name: "2 pictures that look alike" })
    .filter({ hasText: "small.jpg" });
  await group.getByText("400 ×").waitFor();
  assert.match(
    await group.getByRole("listitem").first().textContent(),
    /forest\.jpg/,
    "the larger one is first",
  );
  await group.getByRole("button", { name: /forest.jpg$/ }).click();
  await group.waitFor({ state: "detached" });
  // What is no picture, whatever its name says.
  await page.getByRole("radio", { name: "Broken" }).check();
  await page.getByText("torn.png", { exact: true }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page
    .getByRole("button", { name: "Move 1 file to trash" })
    .press("Enter");
  await page.getByText("No broken files").waitFor();
}
function twiceAndTorn(files) {
  copyFileSync(
    join(files, "demo/landscapes/dawn.jpg"),
    join(files, "demo/patterns/sunrise.jpg"),
  );
  writeFileSync(join(files, "demo/patterns/torn.png"), "not a picture");
}
/** Of pictures with the same bytes, or that look the same, one stays; broken files go. */
export const clean = { server: { prepare: twiceAndTorn }, walk: keepsOne };

/** A picture that is replaced is seen by the next page view, in the grid and in the viewer, though browsers keep pictures for long. */
export async function replaced({ page, server }) {
  const color = () =>
    page.evaluate(async () => {
      const image = document.querySelector(
        "[role=option] img.shown, img[data-shown]",
      );
      const picture = await createImageBitmap(
        await (await fetch(image.src)).blob(),
      );
      const canvas = new OffscreenCanvas(1, 1);
      const context = canvas.getContext("2d");
      context.drawImage(picture, 0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    });
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tile(page, 0).locator("img.shown").waitFor();
  const before = await color();
  const other = readFileSync(
    join(server.data, "files/demo/landscapes/moonlight.jpg"),
  );
  await uploadFiles(page, [
    { name: "dawn.jpg", mimeType: "image/jpeg", buffer: other },
  ]);
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByText("1 file uploaded").waitFor();
  await page.reload();
  await tile(page, 0).locator("img.shown").waitFor();
  const after = await color();
  assert.notDeepEqual(after, before);
  await tile(page, 0).press("Enter");
  await page.locator("img[data-shown]").waitFor();
  const viewed = await color();
  assert.ok(
    viewed.slice(0, 3).every((value, i) => Math.abs(value - after[i]) < 24),
    `the viewer shows ${viewed}, the grid ${after}, before it was ${before}`,
  );
}

/** Twenty files, and two whose names are taken. */
export async function upload({ page, server }) {
  await page.goto(`${server.url}/f`);
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const picture = (i, text) => ({
    name: `up-${i}.png`,
    mimeType: "image/png",
    buffer: Buffer.concat([png, Buffer.from(`${text} ${i}`)]),
  });
  const files = Array.from({ length: 20 }, (_, i) => picture(i, "first"));
  await uploadFiles(page, files);
  await page.getByText("20 files uploaded").waitFor();
  await tiles(page, 20);
  await uploadFiles(page, [picture(0, "other"), picture(1, "other")]);
  await page.getByText("This name is taken").first().waitFor();
  await page.getByRole("button", { name: "Keep both" }).last().click();
  await tiles(page, 22);
  assert.deepEqual(await barriers(page), []);
}

/** Opened in the browser, what somebody uploaded stands in the application's origin. It must not read the session there. */
export async function hostile({ page, server, wrong }) {
  const steal =
    "try { document.documentElement.setAttribute('stolen', localStorage.length + localStorage.getItem('safelight.session')) } catch { document.documentElement.setAttribute('stolen', 'refused') }";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${steal.replaceAll('"', "&quot;")}"><script>${steal}</script><foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml"><script>${steal}</script></body></foreignObject></svg>`;
  const html = `<!doctype html><script>${steal}</script>`;
  const upload = async (path, text) => {
    const body = new FormData();
    body.set(
      "operations",
      JSON.stringify({
        query:
          "mutation($input: AddFileInput!) { addFile(input: $input) { file { thumbnailUrls { original meta full } } userErrors { code } } }",
        variables: { input: { path, content: null } },
      }),
    );
    body.set("map", '{"0":["variables.input.content"]}');
    body.set("0", new Blob([text]), path);
    const token = await page.evaluate(() =>
      Object.values(localStorage)
        .map((text) => /"token":"([^"]+)"/.exec(text)?.[1])
        .find(Boolean),
    );
    const answer = await fetch(`${server.url}/api/graphql`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body,
    });
    return answer.json();
  };
  await page.goto(`${server.url}/me`);
  const uploaded = await upload("hostile.svg", svg);
  const refused = await upload("hostile.html", html);
  assert.ok(uploaded.data?.addFile?.file, JSON.stringify(uploaded));
  assert.ok(
    !refused.data?.addFile?.file,
    "a page of HTML was taken as a picture",
  );
  writeFileSync(join(server.data, "files", "hostile.html"), html); // somebody who can write to the storage
  const { original, meta, full } = uploaded.data.addFile.file.thumbnailUrls;
  for (const address of [
    original,
    meta,
    full,
    "/hostile.html",
    "/unsafe/hostile.html",
    "/params/unsafe/<script>x</script>/hostile.html",
    "/api/<script>x</script>",
  ]) {
    const answer = await page.goto(new URL(address, server.url).href);
    const headers = answer.headers();
    assert.equal(headers["x-content-type-options"], "nosniff", address);
    assert.match(
      headers["content-security-policy"] ?? "",
      /default-src 'none'.*sandbox/,
      address,
    );
    assert.equal(
      await page.evaluate(() =>
        document.documentElement.getAttribute("stolen"),
      ),
      null,
      `a script ran at ${address}`,
    );
    assert.equal(
      await page.evaluate(() => {
        try {
          return localStorage.length;
        } catch {
          return "refused";
        }
      }),
      "refused",
      `${address} can read the session`,
    );
  }
  // What the policy and the server stop is reported in the console.
  const stopped =
    /Blocked script execution|Content Security Policy|sandboxed|status of 4/;
  wrong.splice(0, wrong.length, ...wrong.filter((line) => !stopped.test(line)));
}

/** Ctrl K goes to pages and pictures; ? lists the keys. */
export async function palette({ page, server }) {
  await page.goto(`${server.url}/`);
  await page.getByRole("heading", { name: "Library", exact: true }).waitFor();
  const go = async (text, option) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill(text);
    await page.getByRole("option", { name: option, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page
      .getByRole("combobox", { name: "Go to" })
      .waitFor({ state: "detached" });
  };
  await go("trash", "Trash");
  await page.waitForURL(`${server.url}/trash`);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).fill("moonl");
  await page.getByRole("option", { name: /moonlight\.jpg demo/ }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("option", { name: /moonlight\.jpg demo/ }).click();
  await page.waitForURL(/\/i\/.*moonlight\.jpg/);
  await page.locator("img[data-shown]").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.match(page.url(), /moonlight/);
}

/** A search is saved, opened, renamed, refused a name that is taken, deleted and brought back. */
export async function savedSearches({ page, server }) {
  const nav = page.getByRole("navigation", { name: "Saved searches" });
  const name = page.getByRole("dialog").getByLabel("Name");
  await page.goto(
    `${server.url}/search?q=dawn+is%3Alandscape+type%3Ajpg&sort=taken`,
  );
  await tiles(page, 1);
  await page.getByRole("button", { name: "Save search" }).press("Enter");
  await name.fill("Mornings");
  await name.press("Enter");
  await page.getByText("Search Mornings saved").waitFor();
  await nav.locator("[aria-current=page]").getByText("Mornings").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.goto(`${server.url}/search`);
  await page
    .getByRole("region", { name: "Saved searches" })
    .getByRole("link", { name: "Mornings" })
    .press("Enter");
  await page.waitForURL(/q=dawn\+type%3Ajpeg\+is%3Alandscape&sort=taken/);
  await tiles(page, 1);
  await nav.locator("[aria-current=page]").getByText("Mornings").waitFor();
  await page
    .getByRole("main")
    .getByRole("button", { name: "More for Mornings" })
    .press("Enter");
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await name.fill("Dawn");
  await name.press("Enter");
  await nav.getByRole("link", { name: "Dawn" }).waitFor();
  await page.goto(`${server.url}/search?q=forest`);
  await nav.getByRole("link", { name: "Dawn" }).waitFor();
  await page.getByRole("button", { name: "Save search" }).click();
  await name.fill("dawn");
  await name.press("Enter");
  await page
    .getByText("You already have a saved search with this name.")
    .waitFor();
  await name.fill("Woods");
  await name.press("Enter");
  await nav.getByRole("link", { name: "Woods" }).waitFor();
  await page
    .getByRole("main")
    .getByRole("button", { name: "More for Woods" })
    .click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await nav.getByRole("link", { name: "Woods" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await nav.getByRole("link", { name: "Woods" }).waitFor();
  assert.deepEqual(await barriers(page), []);
}

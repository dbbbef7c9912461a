import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { barriers, pictures, settled, tile, tiles } from "./tab.mjs";

const item = (page, name) =>
  page.getByRole("menuitem", { name, exact: false }).filter({ hasText: name });
const names = (page) =>
  page
    .locator("[role=listbox] [role=option]")
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));

/**
 * A picture is renamed by key, duplicated, copied and deleted in its menu, and every change but the copies is undone in
 * place.
 */
export async function manageFiles({ page, server }) {
  const at = (path) => existsSync(join(server.data, "files", path));
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);

  // The name is selected without its ending, and a name that is taken or forbidden is refused where it is typed.
  await tile(page, 0).focus();
  await page.keyboard.press("F2");
  const dialog = page.getByRole("dialog");
  const field = dialog.getByRole("textbox", { name: "Name" });
  await field.waitFor();
  assert.equal(
    await field.evaluate((input) =>
      input.value.slice(input.selectionStart, input.selectionEnd),
    ),
    "dawn",
  );
  await page.keyboard.type("forest");
  await page.keyboard.press("Enter");
  await dialog.getByText("already has this name").waitFor();
  await field.fill(".dawn.jpg");
  await dialog.getByText("cannot start with a dot").waitFor();
  await field.fill("a/dawn.jpg");
  await dialog.getByText("cannot contain /").waitFor();
  await field.fill("dawn.txt");
  await dialog.getByText("With a different extension").waitFor();
  await field.fill("sunrise.jpg");
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Renamed to sunrise.jpg").waitFor();
  await page.getByRole("option", { name: "sunrise.jpg" }).waitFor();
  assert.ok(at("demo/landscapes/sunrise.jpg"));
  assert.ok(!at("demo/landscapes/dawn.jpg"));
  await page.keyboard.press("Control+z");
  await page.getByRole("option", { name: "dawn.jpg" }).waitFor();
  assert.ok(at("demo/landscapes/dawn.jpg"));

  // The menu opens by the right button and by its key.
  await tile(page, 0).click({ button: "right" });
  await page.getByRole("menu").waitFor();
  assert.deepEqual(await barriers(page), []);
  await item(page, "Duplicate").click();
  await tiles(page, 4);
  assert.ok(at("demo/landscapes/dawn-1.jpg"));
  await page.getByRole("option", { name: "dawn-1.jpg" }).focus();
  await page.keyboard.press("Shift+F10");
  await item(page, "Delete").click();
  await tiles(page, 3);
  await page.getByText("1 picture moved to trash").waitFor();
  await page.keyboard.press("Control+z");
  await tiles(page, 4);
  assert.deepEqual(await names(page), [
    "dawn-1.jpg",
    "dawn.jpg",
    "forest.jpg",
    ...(await names(page)).slice(3),
  ]);

  // Several that are selected are moved together, and back.
  await page.getByRole("option", { name: "dawn-1.jpg" }).press("Space");
  await page.getByRole("option", { name: "dawn.jpg" }).press("Space");
  await page.getByText("2 selected").waitFor();
  await page
    .getByRole("option", { name: "dawn.jpg" })
    .click({ button: "right" });
  await item(page, "Move to").click();
  await dialog.getByRole("heading", { name: "Move 2 items to" }).waitFor();
  await dialog.getByRole("textbox").fill("Press");
  await dialog.getByRole("button", { name: "Move" }).click();
  await tiles(page, 2);
  assert.ok(at("demo/landscapes/Press/dawn.jpg"));
  await page.getByRole("button", { name: "Undo" }).last().click();
  await tiles(page, 4);
  assert.ok(!at("demo/landscapes/Press/dawn.jpg"));
}

/** The folder to move to is looked for from where the pictures are, and then from where the last ones went. */
export async function moveBegins({ page, server }) {
  const dialog = page.getByRole("dialog");
  const way = dialog.getByRole("group", { name: "Folder path" });
  const chosen = dialog.getByRole("treeitem", { selected: true });
  async function ask() {
    await tile(page, 0).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await chosen.waitFor();
    return [
      await way.getByRole("button").allTextContents(),
      await chosen.getAttribute("data-path"),
    ];
  }
  const move = dialog.getByRole("button", { name: "Move", exact: true });
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  assert.deepEqual(await ask(), [
    ["Library", "demo", "landscapes"],
    "demo/landscapes",
  ]);
  assert.ok(await move.isDisabled());
  assert.ok(await chosen.evaluate((row) => row === document.activeElement));
  assert.deepEqual(await barriers(page), []);
  await way.getByRole("button", { name: "demo" }).click();
  await dialog.getByRole("textbox", { name: "New folder in demo" }).waitFor();
  await dialog.getByRole("treeitem", { name: "patterns" }).click();
  await move.click();
  await page.getByText("1 picture moved to demo/patterns").waitFor();
  await tiles(page, 2);
  assert.equal((await ask())[1], "demo/patterns");
  await move.click();
  await tiles(page, 1);

  await page.getByRole("treeitem", { name: "animated" }).click();
  await page.waitForURL(/animated$/);
  await pictures(page);
  assert.equal((await ask())[1], "demo/animated");
}

/** F2 numbers all selected pictures, and one undo gives them their names back. */
export async function renameSelected({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("Control+a");
  await page.getByText("3 selected").waitFor();
  await page.keyboard.press("F2");
  const dialog = page.getByRole("dialog", { name: "Rename 3 pictures" });
  const field = dialog.getByRole("textbox", { name: "Name" });
  await field.fill("a/b");
  await dialog.getByText("cannot contain /").waitFor();
  await field.fill("Fjord");
  await dialog.getByText("Fjord-1.jpg … Fjord-3.jpg").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Enter");
  await page.getByText("3 pictures renamed").waitFor();
  await page.getByRole("option", { name: "Fjord-3.jpg" }).waitFor();
  assert.deepEqual(await names(page), [
    "Fjord-1.jpg",
    "Fjord-2.jpg",
    "Fjord-3.jpg",
  ]);
  await page.keyboard.press("Control+z");
  await page.getByRole("option", { name: "moonlight.jpg" }).waitFor();
  assert.deepEqual(await names(page), [
    "dawn.jpg",
    "forest.jpg",
    "moonlight.jpg",
  ]);
}

/** A folder is made in another one, renamed while it is open, moved by the tree, and deleted: the page goes along. */
export async function manageFolders({ page, server }) {
  const at = (path) => existsSync(join(server.data, "files", path));
  const dialog = page.getByRole("dialog");
  const card = (name) => page.locator(`[data-folder="${name}"]`);
  await page.goto(`${server.url}/f/demo`);
  await card("demo/landscapes").click({ button: "right" });
  await item(page, "New folder inside").click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Alps");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/f\/demo\/landscapes\/Alps$/);

  await page.getByRole("button", { name: "Actions for this folder" }).click();
  await item(page, "Rename").click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Fjords 2026.06");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/f\/demo\/landscapes\/Fjords%202026.06$/);
  assert.ok(at("demo/landscapes/Fjords 2026.06"));

  await page
    .getByRole("treeitem", { name: "landscapes" })
    .click({ button: "right" });
  await item(page, "Move to").click();
  await dialog.getByRole("treeitem", { name: "Library" }).click();
  await dialog.getByRole("textbox").fill("Journeys");
  await dialog.getByRole("button", { name: "Move" }).click();
  await page.waitForURL(/\/f\/Journeys\/landscapes\/Fjords%202026.06$/);
  await page.getByText("1 item moved to Journeys").waitFor();
  assert.ok(at("Journeys/landscapes/dawn.jpg"));

  await page.goto(`${server.url}/f/Journeys`);
  await card("Journeys/landscapes").click({ button: "right" });
  await item(page, "Properties").click();
  await dialog.getByText("Journeys/landscapes").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await card("Journeys/landscapes").focus();
  await page.keyboard.press("Delete");
  await card("Journeys/landscapes").waitFor({ state: "detached" });
  await page.keyboard.press("Control+z");
  await card("Journeys/landscapes").waitFor();
  assert.ok(at("Journeys/landscapes/dawn.jpg"));

  // The focus goes on to the next folder.
  await page.goto(`${server.url}/f/demo`);
  await card("demo/animated").focus();
  await page.keyboard.press("Delete");
  await page.waitForFunction(
    () => document.activeElement.dataset.folder === "demo/patterns",
  );
}

/** In the viewer a picture is renamed and stays; moved, it makes room for the next one. */
export async function manageInViewer({ page, server }) {
  await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg`);
  await page.locator("img[data-shown]").waitFor();
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "Name" }).fill("sunrise.jpg");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/i\/demo\/landscapes\/sunrise.jpg$/);
  await page.locator("img[data-shown]").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForURL(/\/i\/demo\/landscapes\/dawn.jpg$/);
  await page.locator("img[data-shown]").waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("Delete"); // in the menu it deletes nothing
  await page.keyboard.press("ArrowDown");
  await item(page, "Move to").click();
  const dialog = page.getByRole("dialog");
  await page.getByText("Already in demo/landscapes").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Move" }).isDisabled());
  await dialog.getByRole("treeitem", { name: "Library" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("Press");
  await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
  await page.waitForURL(/\/i\/demo\/landscapes\/forest.jpg$/);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.waitForURL(/\/i\/demo\/landscapes\/dawn.jpg$/);
}

/** The menu of a picture shows all of its lines wherever it is opened, as long as the window is high enough for them. */
export async function menuFits({ page, server }) {
  await page.setViewportSize({ width: 1280, height: 560 });
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  const { x, y, width, height } = await tile(page, 0).boundingBox();
  for (const at of [y + 40, y + height / 2, y + height - 10]) {
    await page.mouse.click(x + width / 2, at, { button: "right" });
    await page.getByRole("menuitem", { name: "Delete" }).waitFor();
    const menu = page.getByRole("menu");
    const hidden = await menu.evaluate(
      (list) => list.scrollHeight - list.clientHeight,
    );
    assert.equal(hidden, 0, `${hidden} px of the menu at ${at} are hidden`);
    const box = await menu.boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 560, JSON.stringify(box));
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
  }
}

/**
 * On a phone a long press opens the menu, from which a picture is selected or moved; nothing else may be touched by it.
 */
export const manageOnPhone = {
  tab: {
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  },
  async walk({ page, server, context }) {
    await page.goto(`${server.url}/f/demo/landscapes`);
    await tiles(page, 3);
    await pictures(page);
    const touch = await context.newCDPSession(page);
    const press = async (locator) => {
      const { x, y, width, height } = await locator.boundingBox();
      const at = { x: x + width / 2, y: y + height / 2 };
      await touch.send("Input.dispatchTouchEvent", {
        type: "touchStart",
        touchPoints: [at],
      });
      await page.getByRole("menu").waitFor();
      await touch.send("Input.dispatchTouchEvent", {
        type: "touchEnd",
        touchPoints: [],
      });
    };
    await press(tile(page, 0));
    await page.getByText("dawn.jpg").first().waitFor();
    assert.deepEqual(await barriers(page), []);
    await item(page, "Select").click();
    await page.getByText("1 selected").waitFor();
    assert.match(page.url(), /\/f\/demo\/landscapes$/);
    await page.getByRole("button", { name: "Clear selection" }).click();
    // The menu opens over the third picture: the finger that is lifted there does not push one of its lines.
    await press(tile(page, 2));
    await item(page, "Select").click();
    await page.getByText("1 selected").waitFor();
    assert.match(page.url(), /\/f\/demo\/landscapes$/);
    await page.getByRole("button", { name: "Clear selection" }).click();
    await press(tile(page, 0));
    await item(page, "Rename").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("sunrise.jpg");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("option", { name: "sunrise.jpg" }).waitFor();
  },
};

/** On a phone a finger that has stayed on a picture or a folder carries it to a folder; one that moves at once scrolls. */
export const carryOnPhone = {
  tab: {
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  },
  server: {
    prepare(files) {
      for (const name of ["dawn", "forest"])
        cpSync(
          join(files, `demo/landscapes/${name}.jpg`),
          join(files, `demo/${name}.jpg`),
        );
    },
  },
  async walk({ page, server, context }) {
    const at = (path) => existsSync(join(server.data, "files", path));
    await page.goto(`${server.url}/f/demo`);
    await tiles(page, 2);
    await pictures(page);
    const session = await context.newCDPSession(page);
    const touch = (type, ...touchPoints) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints });
    const middle = async (locator) => {
      const { x, y, width, height } = await locator.boundingBox();
      return { x: x + width / 2, y: y + height / 2 };
    };
    const card = (name) => page.locator(`[data-folder="demo/${name}"]`);
    const carry = async (from, to, stays) => {
      const [first, last] = [await middle(from), await middle(to)];
      await touch("touchStart", first);
      if (stays) await page.getByRole("menu").waitFor();
      await touch("touchMove", { x: first.x, y: first.y - 30 });
      if (stays) {
        await page.locator(".carried").waitFor();
        await page.getByRole("menu").waitFor({ state: "detached" });
      }
      await touch("touchMove", last);
      if (stays) await page.locator("[data-drop]").waitFor();
      await touch("touchEnd");
    };
    await carry(tile(page, 0), card("animated"), false);
    await carry(tile(page, 0), card("animated"), true);
    await page.getByText("1 picture moved to demo/animated").waitFor();
    await tiles(page, 1);
    assert.ok(at("demo/animated/dawn.jpg"));
    assert.ok(at("demo/forest.jpg"));
    assert.equal(await page.locator(".carried, [data-drop]").count(), 0);
    assert.match(page.url(), /\/f\/demo$/);
    await carry(card("landscapes"), card("animated"), true);
    await page.getByText("1 item moved to demo/animated").waitFor();
    assert.ok(at("demo/animated/landscapes/dawn.jpg"));
  },
};

/** A folder of more than 500 folders shows every one of them. */
export const manyFolders = {
  server: {
    prepare(files) {
      for (let i = 0; i < 620; i++)
        mkdirSync(join(files, "many", String(i).padStart(3, "0")), {
          recursive: true,
        });
    },
  },
  async walk({ page, server }) {
    await page.goto(`${server.url}/f/many`);
    await page.locator("[data-folder]").first().waitFor();
    const last = page.locator('[data-folder="many/619"]');
    for (let n = 0; n < 40 && !(await last.count()); n++) {
      await page.locator("[data-folder]").last().scrollIntoViewIfNeeded();
      await settled(page); // the next ones have come
    }
    await last.waitFor();
  },
};

/**
 * The first page has the newest pictures of all folders, says how many there are, and what waits; the root as a folder
 * is one step away.
 */
export const home = {
  server: {
    prepare(files) {
      writeFileSync(join(files, "torn.jpg"), "not a picture");
      cpSync(
        join(files, "demo/landscapes/dawn.jpg"),
        join(files, "Journeys/new.jpg"),
        { recursive: true },
      );
      const later = new Date(Date.now() + 60_000);
      utimesSync(join(files, "Journeys/new.jpg"), later, later);
    },
  },
  async walk({ page, server, wrong }) {
    await page.goto(`${server.url}/`);
    await pictures(page);
    assert.equal((await names(page))[0], "new.jpg");
    await page.getByRole("heading", { name: "10 pictures" }).waitFor();
    await page.getByRole("link", { name: "1 file can’t be opened" }).waitFor();
    await page.getByRole("link", { name: "1 set of duplicates" }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await tile(page, 0).click();
    await page.locator("img[data-shown]").waitFor();
    await page.getByText("1 of 10").waitFor();
    await page.goBack();
    await page.getByRole("link", { name: /^Folders\s*\d+ folder/ }).click();
    await page.waitForURL(/\/f$/);
    await tiles(page, 1);
    assert.deepEqual(await names(page), ["torn.jpg"]);
    await page.locator('[data-folder="demo"]').waitFor();
    const kept = wrong.filter((text) => !/status of 415/.test(text)); // the file that is torn
    wrong.splice(0, wrong.length, ...kept);
  },
};

/** On a phone the way to a folder and the folder around it are a tap away, and so are all folders. */
export const wayOnPhone = {
  tab: {
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  },
  async walk({ page, server }) {
    await page.goto(`${server.url}/f/demo/landscapes`);
    await tiles(page, 3);
    await page
      .getByRole("navigation", { name: "Folder path" })
      .getByRole("link", { name: "demo" })
      .tap();
    await page.waitForURL(/\/f\/demo$/);
    await page.getByRole("link", { name: "Up one folder" }).tap();
    await page.waitForURL(`${server.url}/`);
    await page.getByRole("button", { name: "Folders" }).tap();
    const sheet = page.getByRole("dialog", { name: "Folders" });
    await sheet.getByRole("treeitem", { name: "demo" }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await sheet.getByRole("treeitem", { name: "demo" }).tap();
    await page.waitForURL(/\/f\/demo$/);
    await page.getByRole("button", { name: "Folders" }).tap();
    await sheet.getByRole("link", { name: "Trash" }).tap();
    await page.waitForURL(/\/trash$/);
  },
};

/** The viewer has its neighbors along the bottom, and a swipe down closes it. */
export const filmstrip = {
  tab: {
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  },
  async walk({ page, server, context }) {
    await page.goto(`${server.url}/f/demo/landscapes`);
    await tiles(page, 3);
    await pictures(page);
    await tile(page, 0).tap();
    await page.locator("img[data-shown]").waitFor();
    const strip = page.getByRole("navigation", {
      name: "Pictures beside this one",
    });
    await strip.getByRole("link", { name: "moonlight.jpg" }).tap();
    await page.waitForURL(/\/i\/.*moonlight/);
    await page.locator("img[data-shown]").waitFor();
    await page.getByText("moonlight.jpg").first().waitFor();
    assert.deepEqual(await barriers(page), []);
    const touch = await context.newCDPSession(page);
    const swipe = async (...way) => {
      const [first, ...rest] = way.map(([x, y]) => [{ x, y }]);
      const send = (type, touchPoints) =>
        touch.send("Input.dispatchTouchEvent", { type, touchPoints });
      await send("touchStart", first);
      for (const points of rest) await send("touchMove", points);
      await send("touchEnd", []);
    };
    await swipe([200, 300], [203, 330], [205, 350]); // too short
    await swipe([200, 300], [240, 380], [300, 420]); // neither down nor aside
    assert.match(page.url(), /\/i\/.*moonlight/);
    await swipe([200, 300], [203, 380], [205, 480]);
    await page.waitForURL(/\/f\/demo\/landscapes$/);
    await tiles(page, 3);
  },
};

/** Pictures that are sorted by time stand under the days of their change, the first one too. */
export const dayHeadings = {
  server: {
    prepare(files) {
      const days = { dawn: 0, forest: 0, moonlight: 1 };
      for (const [name, ago] of Object.entries(days)) {
        const path = join(files, `demo/landscapes/${name}.jpg`);
        const time = new Date(Date.now() - ago * 86_400_000);
        utimesSync(path, time, time);
      }
    },
  },
  async walk({ page, server }) {
    const days = () =>
      page.locator(".sheet .day").evaluateAll((all) =>
        all
          .map((one) => [one.getBoundingClientRect().top, one.innerText])
          .sort(([a], [b]) => a - b)
          .map(([, name]) => name),
      );
    await page.goto(`${server.url}/f/demo/landscapes?sort=changed`);
    await tiles(page, 3);
    await pictures(page);
    assert.deepEqual(await days(), ["Today", "Yesterday"]);
    await page.getByText("Today", { exact: true }).waitFor();
    const [top, grid] = await Promise.all(
      [".sheet .day", ".view"].map((one) =>
        page.locator(one).first().boundingBox(),
      ),
    );
    assert.ok(top.y >= grid.y, "the first day is above the window");
    const last = await page
      .getByRole("option", { name: "moonlight.jpg" })
      .boundingBox();
    assert.ok(last.x < grid.x + 40, "the second day begins with a row");
    await page.goto(`${server.url}/f/demo/landscapes`);
    await pictures(page);
    assert.deepEqual(await days(), []);
  },
};

/**
 * Cards of folders ask together, once after several changes. A pinned folder is the first card of the first page, says
 * where it is, and goes along when it is moved.
 */
export async function folderCards({ page, server }) {
  const asked = [];
  page.on("request", (request) => {
    const body = request.postData() ?? "";
    if (body.includes("FolderFaces"))
      asked.push(JSON.parse(body).variables.ids.length);
  });
  const card = (name) => page.locator(`[data-folder="${name}"]`);
  const cards = () =>
    page
      .locator("[data-folder]")
      .evaluateAll((all) => all.map((one) => one.dataset.folder));
  await page.goto(`${server.url}/f/demo`);
  await card("demo/patterns").getByText("3 pictures").waitFor();
  await card("demo/animated").getByText("1 picture").waitFor();
  // Twice, if the server was still analyzing the pictures; but never card by card.
  assert.deepEqual(new Set(asked), new Set([4]));
  const before = asked.length;

  // Three folders change at once, by two changes: one request, or one for each change if the second came later.
  const files = join(server.data, "files", "demo");
  const session = await server.login();
  await server.ask(
    session,
    `mutation {
      copyFiles(input: {paths: ["demo/landscapes/dawn.jpg", "demo/landscapes/forest.jpg"], folder: "demo/patterns"}) { results { ok } }
      moveFiles(input: {paths: ["demo/transparent/bubbles.png"], folder: "demo/animated"}) { results { ok } }
    }`,
  );
  await card("demo/patterns").getByText("5 pictures").waitFor();
  await card("demo/animated").getByText("2 pictures").waitFor();
  assert.ok(asked.length <= before + 2, `asked ${asked}`);

  await card("demo/patterns").click({ button: "right" });
  await item(page, "Properties").click();
  const dialog = page.getByRole("dialog");
  const bytes = readdirSync(join(files, "patterns"))
    .map((name) => statSync(join(files, "patterns", name)).size)
    .reduce((sum, size) => sum + size, 0);
  await dialog.getByText(`${(bytes / 1e6).toFixed(1)} MB`).waitFor();
  await page.keyboard.press("Escape");

  await card("demo/patterns").click({ button: "right" });
  await item(page, "Pin to Library").click();
  await card("demo/patterns").getByText("Pinned").waitFor();
  await page.goto(server.url);
  await card("demo/patterns").getByText("demo", { exact: true }).waitFor();
  assert.deepEqual((await cards()).slice(0, 2), ["demo/patterns", "demo"]);
  assert.deepEqual(await barriers(page), []);
  await server.ask(
    session,
    'mutation { moveFiles(input: {paths: ["demo/patterns"], folder: "", name: "Pictures"}) { results { ok } } }',
  );
  await card("Pictures").getByText("Pinned").waitFor();
  assert.deepEqual((await cards()).slice(0, 2), ["Pictures", "demo"]);
  await card("Pictures").click({ button: "right" });
  await item(page, "Unpin from Library").click();
  await page.waitForFunction(
    () => !document.querySelector(".folders .only-read"),
  );
}

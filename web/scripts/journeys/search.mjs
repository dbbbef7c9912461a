import assert from "node:assert/strict";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripes } from "./paint.mjs";
import { barriers, logIn, pictures, tiles } from "./tab.mjs";

const gray = [124, 120, 118];
const red = [183, 27, 28];

// A red bird on a gray winter's day, of which a tenth is red; it is in a folder whose name it does not have.
function bird(files) {
  mkdirSync(join(files, "Tokyo/June 2024"), { recursive: true });
  writeFileSync(
    join(files, "Tokyo/June 2024/bird.png"),
    stripes(200, 100, [...Array(9).fill(gray), red]),
  );
  writeFileSync(join(files, "Tokyo/tower.png"), stripes(200, 100, [gray]));
}

/** Words of folders, tokens with suggestions, tokens that do not exist, and the panel of filters. */
export const search = {
  server: { prepare: bird },
  async walk({ page, server }) {
    const box = page.getByRole("combobox", { name: "Search" });
    const found = async (n) =>
      page
        .getByRole("status")
        .filter({ hasText: `${n} found` })
        .waitFor();
    await server.indexed(await server.login());
    await page.goto(`${server.url}/search`);
    await box.fill("tokyo");
    await found(2);
    await box.fill("tokyo bird");
    await found(1);
    await pictures(page);

    // a name is typed on, a value is taken, with the number of files that it finds
    await box.fill("fol");
    await page.getByRole("option", { name: "Folder folder:" }).click();
    await box.press("End");
    await box.pressSequentially("tok");
    await page
      .getByRole("option", { name: "in Tokyo 2", exact: true })
      .waitFor();
    assert.deepEqual(await barriers(page), []);
    await box.press("ArrowDown");
    await box.press("Enter");
    await page
      .getByRole("button", { name: "Remove filter: in Tokyo" })
      .waitFor();
    await found(2);
    await box.pressSequentially("red");
    await page.getByRole("option", { name: "Red", exact: true }).waitFor();
    await box.press("ArrowDown"); // Tab takes nothing that is not chosen
    await box.press("Tab");
    await found(1);
    await page.getByRole("button", { name: "Remove filter: Red" }).click();
    await found(2);

    // a month is a date, and what is no filter is said
    await box.fill("2011-05 ");
    await page.getByRole("button", { name: "Remove filter: May 2011" }).click();
    await box.fill("foo:bird ");
    await page.getByText("There is no filter “foo:”.").waitFor();
    await found(2);
    await page.getByRole("button", { name: "Search for “foo bird”" }).click();
    await page.getByText("Nothing found").waitFor();
    await box.fill("dir:Tokyo ");
    await page
      .getByRole("button", { name: "Did you mean folder:Tokyo?" })
      .click();
    await page.waitForURL(/folder%3ATokyo/);
    await found(2);

    // a word that names a color finds nothing: the color is offered
    await page.goto(`${server.url}/search?q=tokyo+red`);
    await page.getByRole("link", { name: "Color: Red" }).click();
    await page.waitForURL(/color%3Ared/);
    await found(1);

    await page.goto(`${server.url}/search?q=tokyo`);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const panel = page.getByRole("dialog", { name: "Filters" });
    await panel.getByRole("button", { name: "Red" }).click();
    await found(1);
    await panel.getByLabel("From").focus();
    await page.keyboard.type("01012031");
    await found(1); // a date counts when it is finished
    await page.keyboard.press("Enter");
    await page.getByText("Nothing found").waitFor();
    assert.deepEqual(await barriers(page), []);
    await panel.getByLabel("From").fill("2011-01-01");
    await found(1);
    await panel.getByRole("button", { name: "Clear all" }).click();
    await found(2);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await tiles(page, 2);
  },
};

/** The panel of filters says how many files each choice finds with all other filters and the words, and each person theirs. */
export const facets = {
  server: { prepare: bird },
  async walk({ page, server, open }) {
    const admin = await server.login();
    await server.indexed(admin);
    const ask = (query) => server.ask(admin, query);
    const tag = (path, ...tags) =>
      ask(
        `mutation { tagFiles(input: { paths: ["${path}"], add: ${JSON.stringify(tags)} }) { userErrors { message } } }`,
      );
    await tag("Tokyo/June 2024/bird.png", "bird", "shrine");
    await tag("Tokyo/tower.png", "shrine");
    await tag("demo/landscapes/dawn.jpg", "morning");
    await ask(
      'mutation { rateFiles(input: { paths: ["Tokyo/tower.png"], rating: 4 }) { userErrors { message } } }',
    );
    const panelOf = async (one, query) => {
      await one.goto(`${server.url}/search?q=${encodeURIComponent(query)}`);
      await one.getByRole("button", { name: "Filter", exact: true }).click();
      return one.getByRole("dialog", { name: "Filters" });
    };
    const panel = await panelOf(page, "tokyo");
    const says = (name, of = panel) =>
      of.getByRole("button", { name, exact: true }).waitFor();
    const lists = (text, of = panel) =>
      of.getByRole("listitem").filter({ hasText: text }).waitFor();
    await says("PNG 2");
    await says("JPEG 0");
    await says("Landscape 2");
    await says("Not rated 1");
    await lists(/^\s*shrine\s*2\s*$/);
    await lists(/^\s*bird\s*1\s*$/);
    assert.equal(
      await panel.getByRole("listitem").filter({ hasText: "morning" }).count(),
      0,
    );
    await panel.locator("#color-red", { hasText: /^1$/ }).waitFor();
    await panel.locator("#rating-4", { hasText: /^1$/ }).waitFor();
    await panel.locator("#rating-5", { hasText: /^0$/ }).waitFor();
    assert.deepEqual(await barriers(page), []);

    // A choice changes the numbers of the others, and not those that would take its place. A tag is one more tag.
    await says("PNG 2");
    await panel.getByRole("checkbox", { name: "bird" }).check();
    await says("PNG 1");
    await lists(/^\s*shrine\s*1\s*$/);
    await panel.getByRole("button", { name: "Clear all" }).click();
    await says("PNG 2");
    await panel
      .getByRole("button", { name: "Not rated 1", exact: true })
      .click();
    await says("PNG 1");
    await says("Not rated 1");
    await panel.locator("#rating-4", { hasText: /^1$/ }).waitFor();
    await panel.getByRole("button", { name: "JPEG 0", exact: true }).click();
    await says("PNG 1");

    // Somebody who may see less is told of less.
    await ask(
      'mutation { createUser(input: { displayName: "Iris", username: "iris", password: "a long enough one", role: USER }) { id } }',
    );
    await ask(
      'mutation { a: setGrants(input: { folder: "", grants: [] }) { userErrors { message } } b: setGrants(input: { folder: "demo/landscapes", grants: [{ to: { everyone: true }, right: VIEW }] }) { userErrors { message } } }',
    );
    const iris = await open();
    await iris.goto(`${server.url}/login`);
    await logIn(iris, "iris", "a long enough one");
    await iris.waitForURL(`${server.url}/`);
    const hers = await panelOf(iris, "");
    await says("PNG 0", hers);
    await says("JPEG 3", hers);
    await lists(/^\s*morning\s*1\s*$/, hers);
  },
};

// Files that are no pictures, or not whole ones; the newest is first on the card of the folder.
function odd(files) {
  const folder = join(files, "odd");
  mkdirSync(folder, { recursive: true });
  const whole = readFileSync(join(files, "demo/landscapes/dawn.jpg"));
  writeFileSync(join(folder, "half.jpg"), whole.subarray(0, whole.length / 2));
  writeFileSync(join(folder, "false.jpg"), "This is not a picture.");
  writeFileSync(join(folder, "empty.png"), "");
  writeFileSync(join(folder, "paper.pdf"), "%PDF-1.4\n");
}

/** Files that cannot be shown say what they are, and can be downloaded, renamed and deleted. */
export const oddFiles = {
  server: { prepare: odd },
  async walk({ page, server }) {
    await server.indexed(await server.login());
    await page.goto(`${server.url}/f`);
    const card = page.locator('[data-folder="odd"].folder');
    await card.getByText("4 pictures").waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[data-folder="odd"] img')].every(
        (image) => image.complete && image.naturalWidth > 0,
      ),
    );
    const names = { "false.jpg": "can’t be opened", "empty.png": "is empty" };
    for (const [name, text] of Object.entries({
      ...names,
      "paper.pdf": "is not a picture",
    })) {
      await page.goto(`${server.url}/i/odd/${name}`);
      await page.getByText(text).waitFor();
      for (const action of ["Download the original", "Rename", "Move to trash"])
        await page
          .getByRole("main")
          .locator("section")
          .getByText(action, { exact: true })
          .waitFor();
      assert.deepEqual(await barriers(page), []);
    }
    const [archive] = await Promise.all([
      page.waitForEvent("download"),
      page
        .locator("section")
        .getByText("Download the original", { exact: true })
        .click(),
    ]);
    assert.match(archive.suggestedFilename(), /paper/);
    await page.goto(`${server.url}/clean`);
    await page.getByRole("radio", { name: "Broken" }).check();
    for (const name of ["half.jpg", "false.jpg", "empty.png"])
      await page.getByText(name, { exact: true }).waitFor();
    await page.goto(`${server.url}/i/odd/paper.pdf`);
    await page
      .locator("section")
      .getByText("Move to trash", { exact: true })
      .click();
    await page.waitForURL(/\/i\/odd\/(half|false|empty)/);
  },
};

// More files than were once looked through, and two months.
function many(files) {
  const picture = stripes(8, 8, [gray]);
  mkdirSync(join(files, "many"), { recursive: true });
  for (let n = 0; n < 2150; n++)
    writeFileSync(
      join(files, "many", `n${String(n).padStart(4, "0")}.png`),
      picture,
    );
  mkdirSync(join(files, "months"), { recursive: true });
  for (const [name, date] of [
    ["may.png", "2031-05-20"],
    ["april.png", "2031-04-20"],
  ]) {
    writeFileSync(join(files, "months", name), stripes(80, 40, [red]));
    utimesSync(join(files, "months", name), new Date(date), new Date(date));
  }
}

/** An address far down a long folder has its neighbors, and the viewer of the timeline goes on in the next month. */
export const farNeighbors = {
  server: { prepare: many },
  async walk({ page, server }) {
    await page.goto(`${server.url}/f/many`);
    await pictures(page);
    await page.goto(`${server.url}/i/many/n2100.png`);
    await page.getByText("2,101 of 2,150").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/n2101\.png/);
    await page.goto(`${server.url}/timeline`);
    await page.locator("[role=option] img.shown").first().waitFor();
    await page.locator("[role=option]").first().click();
    await page.waitForURL(/months\/may\.png/);
    await page.locator("img[data-shown]").waitFor();
    await page.getByText(/^1 of /).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/months\/april\.png/);
  },
};

/** Who types the name of a filter in the language of the application is led to the filter. */
export const searchOwnWords = {
  server: { prepare: bird },
  tab: { locale: "de-DE" },
  async walk({ page, server }) {
    await server.indexed(await server.login());
    await page.goto(`${server.url}/search?q=tower`);
    await tiles(page, 1);
    const box = page.getByRole("combobox", { name: "Suche" });
    await box.fill("ordner:");
    await page.getByRole("option", { name: "in Tokyo 2" }).waitFor();
    await page.getByRole("option", { name: "dawn.jpg" }).first().waitFor(); // hidden by nothing
    await box.fill("ordner:tok");
    await page.getByRole("option", { name: "in Tokyo 2" }).click();
    await tiles(page, 2);
    await page
      .getByRole("button", { name: "Filter entfernen: in Tokyo" })
      .click();
    await box.fill("ordner:Tokyo ");
    await page
      .getByRole("button", { name: "Meinten Sie folder:Tokyo?" })
      .click();
    await page.waitForURL(/folder%3ATokyo/);
    await tiles(page, 2);
  },
};

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pictures, settled, tile, tiles } from "./tab.mjs";

const inTree = (page, name) =>
  page.getByRole("treeitem", { name, exact: true });

/** An address with a stray percent sign is a folder like others, a folder of the tree that is closed stays closed, and a page that one goes to is announced. */
export const closedStaysClosed = {
  server: {
    samples: true,
    prepare: (files) =>
      mkdirSync(join(files, "Journeys", "Norway", "Fjords"), {
        recursive: true,
      }),
  },
  async walk({ page, server }) {
    await page.goto(`${server.url}/f/100%`);
    await inTree(page, "Journeys").waitFor();
    await inTree(page, "demo").click();
    await page.getByRole("heading", { name: "demo" }).waitFor();
    await page.goto(`${server.url}/f/Journeys/Norway`);
    await pictures(page);
    await inTree(page, "Norway").waitFor();
    await inTree(page, "Journeys").focus();
    await page.keyboard.press("ArrowLeft");
    await page
      .locator("[role=treeitem][data-path=Journeys][aria-expanded=false]")
      .waitFor();
    assert.equal(await inTree(page, "Norway").count(), 0);
    await page.getByRole("link", { name: "Timeline" }).click();
    await page
      .locator("[aria-live=polite]")
      .filter({ hasText: "Timeline" })
      .waitFor();
  },
};

/** What a row is about can be read in a window of every width, whatever else the row says. */
export async function narrowRows({ page, server }) {
  const readable = async (row, least) => {
    for (const width of [1280, 1100, 1000, 910, 820, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      const box = await row.boundingBox();
      assert.ok(
        box?.width >= least,
        `${page.url()}: ${box?.width} px at ${width} px`,
      );
    }
  };
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("Delete");
  await tiles(page, 2);
  await page.goto(`${server.url}/trash`);
  await readable(page.locator("li .name"), 100);
  await page.goto(`${server.url}/admin/accounts`);
  await readable(
    page.getByRole("main").getByText("admin", { exact: true }),
    30,
  );
  await page.goto(`${server.url}/admin/audit`);
  await readable(
    page.getByRole("main").locator("li button > :last-child").first(),
    120,
  );
}

/** The buttons above a picture and above the editor are all in the window, in the language with the longest words. */
export const narrowHeads = {
  tab: { locale: "fr-FR" },
  async walk({ page, server }) {
    const dawn = "demo/landscapes/dawn.jpg";
    for (const address of [`/i/${dawn}?info=1`, `/edit/${dawn}`]) {
      await page.goto(server.url + address);
      const head = page.locator("header").first();
      await head.getByRole("button").last().waitFor();
      for (const width of [1110, 1000, 900, 820, 770]) {
        await page.setViewportSize({ width, height: 800 });
        await settled(page);
        const { x, width: room } = await head.boundingBox();
        for (const button of await head.getByRole("button").all()) {
          const box = await button.boundingBox();
          assert.ok(
            !box || box.x + box.width <= x + room,
            `${address}: ${await button.textContent()} is cut off at ${width} px`,
          );
        }
      }
    }
  },
};

/** A trash that did not load does not say that it is empty. */
export async function trashUnknown({ page, server, wrong }) {
  let away = true;
  await page.route("**/api/graphql", (route) =>
    away && route.request().postData().includes("query TrashPage")
      ? route.abort()
      : route.continue(),
  );
  await page.goto(`${server.url}/trash`);
  await page.getByRole("heading", { name: "The trash did not load" }).waitFor();
  away = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The trash is empty").waitFor();
  wrong.splice(
    0,
    wrong.length,
    ...wrong.filter((text) => !/net::ERR_FAILED/.test(text)),
  );
}

/** A page whose code fails says so, beside the navigation, which leads on. */
export async function brokenPage({ page, server, wrong }) {
  await page.route("**/api/graphql", async (route) => {
    if (!route.request().postData().includes("query TrashPage"))
      return route.continue();
    await route.fulfill({
      json: {
        data: {
          trashedFiles: {
            totalCount: 1,
            nodes: [{ id: "1", name: "x", path: null, size: 1 }],
            pageInfo: { hasNextPage: false, endCursor: null },
          },
        },
      },
    });
  });
  await page.goto(`${server.url}/trash`);
  await page
    .getByRole("heading", { name: "This page has stopped working" })
    .waitFor();
  assert.ok(
    wrong.some((text) => /TypeError/.test(text)),
    "the error is not reported",
  );
  await page.getByRole("treeitem", { name: "demo" }).click();
  await page.getByRole("heading", { name: "demo" }).waitFor();
  wrong.length = 0;
}

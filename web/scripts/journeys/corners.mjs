import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pictures } from "./tab.mjs";

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

import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pictures, tile, tiles } from "./tab.mjs";

/** What others do appears in every tab without a reload, over one stream for all tabs, and a tab that closes hands it on. */
export async function live({ page, context, server, open }) {
  const streams = new Set();
  const count = (request) =>
    request.headers().accept === "text/event-stream" && streams.add(request);
  context.on("request", count);
  context.on("requestfailed", (request) => streams.delete(request));
  const folder = `${server.url}/f/demo/landscapes`;
  await page.goto(folder);
  await tiles(page, 3);
  const second = await open({ same: true });
  await second.goto(folder);
  await tiles(second, 3);
  const third = await open({ same: true });
  await third.goto(`${server.url}/i/demo/landscapes/forest.jpg?info=1`);
  await third.getByRole("link", { name: "Edit" }).waitFor();

  // Somebody else, in another browser.
  const other = await server.login();
  const ask = (query, variables) => server.ask(other, query, variables);
  // A file that comes and goes in the storage is found by whoever lists the folder first.
  const files = join(server.data, "files", "demo", "landscapes");
  const list = '{ files(folder: "demo/landscapes") { totalCount } }';
  copyFileSync(join(files, "dawn.jpg"), join(files, "a-copy.jpg"));
  assert.equal((await ask(list)).files.totalCount, 4);
  for (const tab of [page, second]) await tiles(tab, 4);
  rmSync(join(files, "a-copy.jpg"));
  assert.equal((await ask(list)).files.totalCount, 3);
  for (const tab of [page, second]) await tiles(tab, 3);

  await ask(
    "mutation($input: UpdateFileInput!) { updateFile(input: $input) { userErrors { code } } }",
    { input: { path: "demo/landscapes/forest.jpg", tags: ["spruce"] } },
  );
  await third.getByRole("button", { name: "Remove tag: spruce" }).waitFor();
  await third.getByText("Someone else changed this picture").waitFor();
  await ask(
    'mutation { createFolder(input: {path: "demo/Winter"}) { folder { path } userErrors { code field } } }',
  );
  for (const tab of [page, second])
    await tab.getByRole("treeitem", { name: "Winter" }).waitFor();
  assert.equal(streams.size, 1, "more than one stream for three tabs");

  // The tab that reads the stream is the first one.
  await page.close();
  await ask(
    "mutation($input: TrashFilesInput!) { trashFiles(input: $input) { userErrors { code } } }",
    { input: { paths: ["demo/landscapes/dawn.jpg"] } },
  );
  await tiles(second, 2);
  await pictures(second);
  await tile(second, 0).getByText("forest.jpg").waitFor();
}

/** A page asks for its files once: the stream, which begins afterwards, says that nothing was missed. */
export async function listedOnce({ page, server }) {
  const asked = [];
  page.on("request", (request) => {
    const query = request.postData()?.match(/query (Files|Folders)\b/)?.[1];
    if (query) asked.push(query);
  });
  const stream = page.waitForResponse(
    (response) =>
      response.headers()["content-type"]?.startsWith("text/event-stream") ??
      false,
  );
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tiles(page, 3);
  await stream;
  const before = [...asked].sort();
  assert.equal(before.filter((query) => query === "Files").length, 1);

  // A change comes after all that the stream began with.
  const other = await server.login();
  await server.ask(
    other,
    'mutation { createFolder(input: {path: "demo/Winter"}) { folder { path } userErrors { code field } } }',
  );
  await page.getByRole("treeitem", { name: "Winter" }).waitFor();
  assert.equal(
    asked.filter((query) => query === "Files").length,
    1,
    `the page asked for ${asked}`,
  );
}

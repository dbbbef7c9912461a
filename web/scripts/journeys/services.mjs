import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openEditor, saveTemplate } from "./desk.mjs";
import { pictures, tile, tiles, uploadFiles } from "./tab.mjs";

const needed = (name) => {
  const value = process.env[name];
  if (!value)
    throw new Error(
      `${name} is not set: make web-test starts PostgreSQL and an S3 server, and so does scripts/with-services npm --prefix web run journeys`,
    );
  return value;
};

// A database and a part of the bucket that are this journey's own.
function own() {
  const [postgres, s3] = [
    needed("SAFELIGHT_TEST_POSTGRES"),
    needed("SAFELIGHT_TEST_S3"),
  ];
  const name = `journey_${randomBytes(6).toString("hex")}`;
  const query = (address, text) =>
    execFileSync(
      "psql",
      ["-qtAX", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", text],
      { encoding: "utf8" },
    ).trim();
  query(postgres, `CREATE DATABASE ${name}`);
  const database = new URL(postgres);
  database.pathname = `/${name}`;
  return {
    args: [
      "--database",
      database.href,
      "--storage",
      s3.replace("?", `/${name}?`),
    ],
    query: (text) => query(database.href, text),
    end: () => query(postgres, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

const names = ["dawn.jpg", "forest.jpg", "moonlight.jpg"];

async function works({ page, server, options: { query } }) {
  const session = await server.login();
  const ask = (text) => server.ask(session, text);
  const pictured = (n) => Promise.all([tiles(page, n), pictures(page)]);
  // What the storage of the other journeys has, uploaded into the bucket.
  const demo = join(server.data, "files/demo/landscapes");
  await page.goto(`${server.url}/f`);
  await uploadFiles(
    page,
    names.map((name) => join(demo, name)),
  );
  await page.getByText("3 files uploaded", { exact: true }).waitFor();
  await pictured(3);
  await tile(page, 2).locator("img.shown").waitFor();
  assert.equal(
    query(
      "SELECT count(*) FROM entries WHERE kind = 1 AND path IN ('dawn.jpg', 'forest.jpg', 'moonlight.jpg')",
    ),
    "3",
  );

  await tile(page, 0).press("Space");
  await page.getByRole("button", { name: "Rate" }).click();
  await page.getByRole("menuitem", { name: "4 stars" }).click();
  await page.getByText("1 picture rated").waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}/?q=rating%3A4`);
  await pictured(1);
  assert.equal(
    (await ask('{ file(path: "dawn.jpg") { rating } }')).file.rating,
    4,
  );

  await page.goto(`${server.url}/f`);
  await pictured(3);
  await tile(page, 0).press("Control+a");
  await page.getByText("3 selected").waitFor();
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const zip = readFileSync(await (await started).path());
  assert.equal(zip.subarray(0, 4).toString("latin1"), "PK\x03\x04");
  for (const name of names)
    assert.ok(
      zip.includes(readFileSync(join(demo, name)).subarray(200, 600)),
      `the bytes of ${name} are not in the ZIP`,
    );

  await tile(page, 1).press("Escape");
  await page.getByText("3 selected").waitFor({ state: "detached" });
  await tile(page, 1).press("Space");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByLabel(/New folder in/).fill("Press");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Move", exact: true })
    .click();
  await page.getByText("1 picture moved to Press").waitFor();
  await pictured(2);
  await page.goto(`${server.url}/f/Press`);
  await pictured(1);
  await tile(page, 0).locator("img.shown").waitFor();

  await tile(page, 0).press("Delete");
  await page.getByText("1 picture moved to trash").waitFor();
  await page.goto(`${server.url}/trash`);
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Restore 1" }).click();
  await page.getByText("The trash is empty").waitFor();
  assert.equal(
    (await ask('{ files(folder: "Press") { totalCount } }')).files.totalCount,
    1,
  );

  await openEditor(page, server, "dawn.jpg?p=300x200/filters:grayscale()");
  await saveTemplate(page, "Gray");
  await page.goto(`${server.url}/templates`);
  await page.getByRole("button", { name: "Apply Gray to pictures" }).click();
  await page.getByRole("dialog").getByTitle("Press/forest.jpg").click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Apply", exact: true })
    .click();
  await page.getByRole("button", { name: "Save 1 new file" }).click();
  await page.getByText("1 file saved", { exact: true }).waitFor();
  const { file } = await ask(
    '{ file(path: "Press/forest-gray.jpg") { thumbnailUrls { original } } }',
  );
  const answer = await fetch(new URL(file.thumbnailUrls.original, server.url));
  assert.deepEqual(
    [answer.status, answer.headers.get("content-type")],
    [200, "image/jpeg"],
  );
  // None of it is in the folder that a server without S3 would use.
  assert.deepEqual(
    readdirSync(join(server.data, "files")).filter(
      (name) => !name.startsWith("."),
    ),
    ["demo"],
  );
  assert.ok(
    !existsSync(join(server.data, "safelight.db")),
    "there is a SQLite database",
  );
}
/** The index in PostgreSQL and the pictures in S3: upload, rating, ZIP, move, trash and restore, template. */
export const services = { server: own, walk: works };

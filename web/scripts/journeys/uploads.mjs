import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import {
  forgetOutage,
  patience,
  pictures,
  settled,
  tile,
  uploadFiles,
} from "./tab.mjs";

const count = 200;
/** For a hundred files one after the other, with the pauses after each connection that breaks. */
const timeout = 5 * patience;
const nameOf = (i) => `up-${String(i).padStart(3, "0")}.png`;
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/**
 * A line that breaks: it ends connections in the middle of the bytes of a file, and after the server has done what was asked for but
 * before it could say so; now and then all of them at once. The bytes of the files that `hold` numbers are kept until they are let go.
 */
export function breakingLine() {
  const seen = { PATCH: 0, CreateUpload: 0, FinishUpload: 0, Announce: 0 };
  const line = {
    cuts: [],
    lost: [],
    finished: new Set(),
    patched: 0,
    holds: new Map(),
  };
  const kindOf = (request, body) =>
    request.method === "PATCH"
      ? "PATCH"
      : /^\/s\/[^/]+\/uploads$/.test(request.url)
        ? "Announce"
        : (/(?:query|mutation) (\w+)/.exec(body)?.[1] ?? "");
  /** Keeps the bytes that are the n-th to be sent, and answers with what lets them go once they are there. */
  line.hold = (n) => new Promise((held) => line.holds.set(n, held));
  line.through = async (upstream) => {
    const server = http.createServer(async (request, response) => {
      const body = await buffer(request).catch(() => null);
      if (!body) return; // the browser has gone while it sent this
      const kind = kindOf(
        request,
        request.url === "/api/graphql" ? body.toString() : "",
      );
      const n = kind in seen ? ++seen[kind] : 0;
      if (kind === "PATCH") line.patched++;
      if (kind === "PATCH" && line.holds.has(n))
        await new Promise((go) => line.holds.get(n)(go));
      if (kind === "PATCH" && n % 30 === 0) return server.closeAllConnections();
      const cut =
        (kind === "PATCH" && n % 10 === 5) ||
        (["CreateUpload", "Announce"].includes(kind) && n % 20 === 10) ||
        (kind === "FinishUpload" && n % 20 === 15);
      if (cut) line.cuts.push(kind);
      if (kind === "FinishUpload")
        line.finished.add(JSON.parse(body).variables.input.id);
      const onward = http.request(
        new URL(request.url, upstream),
        { method: request.method, headers: request.headers },
        (answer) => {
          if (cut) {
            let said = "";
            return answer
              .on("data", (part) => (said += part))
              .on("end", () => {
                if (kind === "CreateUpload")
                  line.lost.push(/"id":"([^"]+)/.exec(said)?.[1]);
                request.socket.destroy();
              });
          }
          response.writeHead(answer.statusCode, answer.headers);
          answer.pipe(response);
        },
      );
      onward.on("error", () => request.socket.destroy());
      response.on("close", () => onward.destroy());
      if (cut && kind === "PATCH")
        onward.write(body.subarray(0, body.length / 2), () =>
          onward.destroy(new Error("cut")),
        );
      else onward.end(body);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      url: `http://127.0.0.1:${server.address().port}`,
      close: () => server.close(server.closeAllConnections()),
    };
  };
  return line;
}

// Pictures of different bytes and sizes, some of them larger than what a connection buffers: a PNG with a text of its own behind it.
function paint(folder, n = count) {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  return new Map(
    Array.from({ length: n }, (_, i) => {
      const bytes = Buffer.concat([
        png,
        Buffer.alloc(1000 + (i % 20 === 0 ? 300_000 : i * 37), `${i} `),
      ]);
      writeFileSync(join(folder, nameOf(i)), bytes);
      return [nameOf(i), { size: bytes.length, sha256: sha256(bytes) }];
    }),
  );
}

// The window that asks whether to leave is answered with yes; how often it came.
function mayLeave(page) {
  const asked = { times: 0 };
  page.on("dialog", (dialog) => {
    asked.times += dialog.type() === "beforeunload" ? 1 : 0;
    return dialog.accept();
  });
  return asked;
}

// All files are there with their bytes, none twice, and nothing else is.
async function arrived(server, files, folder = "") {
  const session = await server.login();
  const nodes = [];
  for (let skip = 0; skip === nodes.length; skip += 100) {
    const { files: page } = await server.ask(
      session,
      "query($folder: String, $skip: Int) { files(folder: $folder, first: 100, skip: $skip) { nodes { name size } } }",
      { folder, skip },
    );
    nodes.push(...page.nodes);
  }
  assert.deepEqual(nodes.map(({ name }) => name).toSorted(), [...files.keys()]);
  for (const { name, size } of nodes) {
    assert.equal(size, files.get(name).size, name);
    assert.equal(
      sha256(readFileSync(join(server.data, "files", folder, name))),
      files.get(name).sha256,
      name,
    );
  }
}

async function sendsAll({ page, context, server, wrong, options: { line } }) {
  const folder = mkdtempSync(join(tmpdir(), "safelight-uploads-"));
  try {
    const files = paint(folder);
    const all = [...files.keys()].map((name) => join(folder, name));
    const tray = page.getByRole("complementary", { name: "Uploads" });
    const waiting = tray.getByText("Waiting for the network");
    const asked = mayLeave(page);
    const held = {
      pause: line.hold(40),
      offline: line.hold(80),
      crash: line.hold(120),
      reload: line.hold(160),
    };
    await page.goto(`${server.url}/`);
    await uploadFiles(page, all);
    // Somebody pauses while the bytes of a file are on their way.
    const resume = await held.pause;
    await page.getByRole("button", { name: "Pause uploads" }).click();
    await tray.getByText(/^\d+ of 200 uploaded$/).waitFor();
    resume();
    await page.getByRole("button", { name: "Resume uploads" }).click();
    // The network is gone: nothing fails, and what is shown goes on by itself when it is back.
    const goOn = await held.offline;
    await context.setOffline(true);
    goOn();
    await waiting.waitFor();
    assert.equal(await tray.locator(".bad").count(), 0);
    await context.setOffline(false);
    // The server is killed.
    const letGo = await held.crash;
    const start = await server.crash();
    letGo();
    await waiting.waitFor();
    await start();
    await waiting.waitFor({ state: "detached" });
    // The page is loaded again, which it warns of. What has to be chosen again is said, and only that is sent.
    await held.reload;
    await page.reload();
    assert.equal(asked.times, 1);
    const title = tray.getByText(/^Choose \d+ files again$/);
    await title.waitFor();
    const left = Number(/\d+/.exec(await title.textContent())[0]);
    assert.ok(
      left > 0 && left < count,
      `${left} files have to be chosen again`,
    );
    const patched = line.patched;
    const chooser = page.waitForEvent("filechooser");
    await tray.getByRole("button", { name: "Choose files" }).click();
    await (await chooser).setFiles(all);
    // Those of which all bytes had arrived were not among them, but count.
    await tray.getByText(/^\d+ files uploaded$/).waitFor({ timeout });
    assert.ok(
      line.patched - patched < 2 * left,
      `${line.patched - patched} pieces were sent of ${left} files`,
    );
    assert.equal(await page.getByText("This name is taken").count(), 0);
    // The upload whose answer was lost is the one that was sent.
    assert.deepEqual(
      line.lost.map((id) => line.finished.has(id)),
      line.lost.map(() => true),
    );
    assert.ok(
      line.lost.length > 5 && line.cuts.length > 30,
      `${line.cuts.length} connections broke`,
    );
    await arrived(server, files);
    await tray.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/sort=changed/);
    await page.locator('[role=option][aria-setsize="200"]').first().waitFor();
    forgetOutage(wrong);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** 200 files over a line that breaks again and again, paused, without network, with a server that is killed and a reload: all are there, none twice. */
export const upload200 = {
  server() {
    const line = breakingLine();
    return { line, through: line.through };
  },
  walk: sendsAll,
};

/** A visitor of a link adds files over such a line, and reloads the page: all are there, none twice, and the quota counts each once. */
export const uploadVisitor = {
  server: upload200.server,
  async walk({ server, wrong, open, options: { line } }) {
    const folder = mkdtempSync(join(tmpdir(), "safelight-uploads-"));
    try {
      const files = paint(folder, 60);
      const all = [...files.keys()].map((name) => join(folder, name));
      const bytes = [...files.values()].reduce(
        (sum, { size }) => sum + size,
        0,
      );
      const session = await server.login();
      await server.ask(
        session,
        'mutation { createFolder(input: { path: "guests" }) { folder { path } } }',
      );
      const { createShare } = await server.ask(
        session,
        'mutation($quota: Int64!) { createShare(input: { paths: ["guests"], uploadQuotaBytes: $quota }) { share { id url } } }',
        { quota: 2 * bytes },
      );
      const visitor = await open();
      const asked = mayLeave(visitor);
      const reload = line.hold(30);
      await visitor.goto(`${server.url}${createShare.share.url}`);
      await visitor.getByLabel("Add pictures").setInputFiles(all);
      await reload;
      await visitor.reload();
      assert.equal(asked.times, 1);
      const title = visitor.getByText(/^Choose \d+ files again$/);
      await title.waitFor();
      const left = Number(/\d+/.exec(await title.textContent())[0]);
      assert.ok(left > 0 && left < 60, `${left} files are left`);
      // The page asks for the link again when files have arrived. A broken connection must not replace it by an error.
      let cuts = 2;
      await visitor.route(`${server.url}${createShare.share.url}`, (route) =>
        route.request().method() === "POST" && cuts-- > 0
          ? route.abort("connectionreset")
          : route.continue(),
      );
      await visitor.getByLabel("Choose files").setInputFiles(all);
      await title.waitFor({ state: "detached" });
      await visitor.waitForFunction(
        (n) =>
          [...document.querySelectorAll("main li")].filter((row) =>
            row.textContent.trim().endsWith("Added"),
          ).length >= n,
        left,
        { timeout },
      );
      await visitor.getByText("60 pictures").waitFor();
      await arrived(server, files, "guests");
      const { node } = await server.ask(
        session,
        "query($id: ID!) { node(id: $id) { ... on Share { uploadedBytes } } }",
        { id: createShare.share.id },
      );
      assert.equal(Number(node.uploadedBytes), bytes);
      assert.ok(line.cuts.length > 5, `${line.cuts.length} connections broke`);
      forgetOutage(wrong);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Files whose bytes have all arrived need not be chosen again after a reload, whether the server has finished them or not. */
export async function uploadFinishes({ page, server }) {
  const folder = mkdtempSync(join(tmpdir(), "safelight-uploads-"));
  try {
    const files = paint(folder, 2);
    mayLeave(page);
    await page.goto(`${server.url}/f/demo`);
    // The server gets the first of the last requests and not the second, and neither is answered.
    let [asked, held] = [0, 0];
    const both = new Promise((resolve) =>
      page.route("**/api/graphql", async (route) => {
        const finishes = route
          .request()
          .postData()
          ?.includes("mutation FinishUpload");
        const n = finishes ? ++asked : 0;
        if (!finishes || n > 2) return route.continue();
        if (n === 1) await route.fetch();
        if (++held === 2) resolve();
      }),
    );
    await uploadFiles(
      page,
      [...files.keys()].map((name) => join(folder, name)),
    );
    await both;
    await page.reload();
    await page
      .getByRole("complementary", { name: "Uploads" })
      .getByText("2 files uploaded", { exact: true })
      .waitFor();
    await settled(page);
    const listed = readdirSync(join(server.data, "files/demo"));
    assert.deepEqual(
      listed.filter((name) => name.startsWith("up-")).toSorted(),
      [...files.keys()],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the browser can open files again, a reload needs nobody: the uploads go on. So they do in another tab when theirs is closed. */
export const uploadReopened = {
  server: upload200.server,
  async walk({ page, server, wrong, open, options: { line } }) {
    const folder = mkdtempSync(join(tmpdir(), "safelight-uploads-"));
    try {
      const files = paint(folder, 30);
      mayLeave(page);
      // The origin's private files are handles as those of a disk are, without the window that asks for them.
      await page.addInitScript(() => {
        window.showOpenFilePicker = async () => {
          const handles = [];
          for await (const handle of (
            await navigator.storage.getDirectory()
          ).values())
            handles.push(handle);
          return handles;
        };
      });
      await page.goto(`${server.url}/`);
      for (const name of files.keys()) {
        const bytes = readFileSync(join(folder, name)).toString("base64");
        await page.evaluate(
          async ({ name, bytes }) => {
            const handle = await (
              await navigator.storage.getDirectory()
            ).getFileHandle(name, { create: true });
            const writable = await handle.createWritable();
            await writable.write(
              Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0)),
            );
            await writable.close();
          },
          { name, bytes },
        );
      }
      const held = line.hold(12);
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await held;
      const heldAgain = line.hold(20);
      await page.reload();
      await heldAgain;
      const other = await open({ same: true });
      await other.goto(`${server.url}/`);
      await page.close();
      await other
        .getByRole("complementary", { name: "Uploads" })
        .getByText(/^\d+ files uploaded$/)
        .waitFor();
      await arrived(server, files);
      forgetOutage(wrong);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What the library has already is recognized by its bytes, and not sent unless somebody wants it twice. A folder can be chosen. */
export async function uploadSame({ page, server }) {
  const folder = mkdtempSync(join(tmpdir(), "safelight-uploads-"));
  try {
    const trip = join(folder, "trip");
    mkdirSync(trip);
    const files = paint(trip, 3);
    const sent = [];
    page.on(
      "request",
      (request) => request.method() === "PATCH" && sent.push(request.url()),
    );
    const tray = page.getByRole("complementary", { name: "Uploads" });
    await page.goto(`${server.url}/`);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "More ways to upload" }).click();
    await page.getByRole("menuitem", { name: "Choose a folder" }).click();
    await (await chooser).setFiles(trip);
    await tray.getByText("3 files uploaded", { exact: true }).waitFor();
    await arrived(server, files, "trip");
    await tray.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/\/f\/trip\?sort=changed/);
    await server.indexed(await server.login());
    const before = sent.length;
    await tray.getByRole("button", { name: "Close" }).click();
    await page.goto(`${server.url}/`);
    await uploadFiles(
      page,
      [...files.keys()].map((name) => join(trip, name)),
    );
    await tray.getByText("3 were already in the library").waitFor();
    assert.equal(await tray.getByText("Already in trip").count(), 3);
    assert.equal(sent.length, before);
    await tray
      .getByRole("listitem")
      .filter({ hasText: nameOf(1) })
      .getByRole("button", { name: "Upload anyway" })
      .click();
    await tray.getByText("1 file uploaded", { exact: true }).waitFor();
    assert.equal(sent.length, before + 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Closing the page is warned of as long as files are on their way, whatever page it is; the viewer and the editor show them. */
export const uploadLeaving = {
  server: () => ({ ...upload200.server(), samples: true }),
  async walk({ page, server, options: { line } }) {
    const folder = mkdtempSync(join(tmpdir(), "safelight-uploads-"));
    try {
      const files = paint(folder, 1);
      const asked = mayLeave(page);
      const held = line.hold(1);
      await page.goto(`${server.url}/f/Journeys/Norway`);
      await pictures(page);
      await uploadFiles(
        page,
        [...files.keys()].map((name) => join(folder, name)),
      );
      await held;
      await tile(page, 0).click();
      await page.waitForURL(/\/i\//);
      const tray = page.getByRole("complementary", { name: "Uploads" });
      await tray.getByText("Uploading 0 of 1").waitFor();
      await page.reload();
      assert.equal(asked.times, 1);
      await page.locator("[data-heart]").waitFor(); // the viewer hears keys
      await page.keyboard.press("Escape"); // the way back is the folder: the file waits there
      await tray.getByText("Choose 1 file again").waitFor();
      const again = page.waitForEvent("filechooser");
      const heldAgain = line.hold(2);
      // The folder is enough: what is left is found in it.
      await tray.getByRole("button", { name: "Choose a folder" }).click();
      await (await again).setFiles(folder);
      const letGo = await heldAgain;
      await tile(page, 0).click();
      await page.waitForURL(/\/i\//);
      await page.keyboard.press("e");
      await page.waitForURL(/\/edit\//);
      await tray.getByText("Uploading 0 of 1").waitFor();
      letGo();
      await tray.getByText("1 file uploaded", { exact: true }).waitFor();
      await page.reload();
      assert.equal(asked.times, 1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What has arrived leaves the controls of the editor by itself. The gallery has it still, in one line, and shows it. */
export const uploadArrived = {
  server: () => ({ ...upload200.server(), samples: true }),
  async walk({ page, server, options: { line } }) {
    const folder = mkdtempSync(join(tmpdir(), "safelight-uploads-"));
    try {
      const files = paint(folder, 2);
      await page.addInitScript(() => {
        const wait = window.setTimeout;
        window.setTimeout = (run, ms, ...rest) =>
          wait(run, ms === 8000 ? 50 : ms, ...rest);
      });
      const held = line.hold(2);
      await page.goto(`${server.url}/f/Journeys/Norway`);
      await pictures(page);
      await uploadFiles(
        page,
        [...files.keys()].map((name) => join(folder, name)),
      );
      const letGo = await held;
      await tile(page, 0).click();
      await page.waitForURL(/\/i\//);
      await page.locator("[data-heart]").waitFor(); // the viewer hears keys
      await page.keyboard.press("e");
      await page.waitForURL(/\/edit\//);
      const tray = page.getByRole("complementary", { name: "Uploads" });
      await tray.getByText("Uploading 1 of 2").waitFor();
      letGo();
      await tray.waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Back" }).click();
      await page.waitForURL(/\/i\//);
      await page.locator("[data-heart]").waitFor();
      await page.keyboard.press("Escape");
      await tray.getByText("2 files uploaded", { exact: true }).waitFor();
      assert.equal(await tray.getByRole("listitem").count(), 0);
      await tray.getByRole("button", { name: "Show" }).click();
      await page.waitForURL(/sort=changed/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

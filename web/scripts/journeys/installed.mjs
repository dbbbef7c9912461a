import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { barriers, forgetOutage, pictures, tiles } from "./tab.mjs";

// What the service worker keeps: addresses by the name of the cache.
const kept = (page) =>
  page.evaluate(async () => {
    const found = {};
    for (const name of await caches.keys()) {
      const requests = await (await caches.open(name)).keys();
      found[name] = requests.map(({ url }) => new URL(url).pathname);
    }
    return found;
  });

// Posts files to an address as a share sheet does.
const share = (page, names) =>
  page.evaluate(async (all) => {
    const canvas = document.createElement("canvas");
    const form = document.createElement("form");
    Object.assign(form, {
      method: "post",
      action: "/share",
      enctype: "multipart/form-data",
    });
    const input = document.createElement("input");
    Object.assign(input, { type: "file", name: "pictures", multiple: true });
    const data = new DataTransfer();
    for (const [i, name] of all.entries()) {
      canvas.width = 40 + i; // no two are the same
      canvas.getContext("2d").fillRect(0, 0, 20, 20);
      const type = "image/jpeg";
      const bytes = await new Promise((got) => canvas.toBlob(got, type));
      data.items.add(new File([bytes], name, { type }));
    }
    input.files = data.files;
    form.append(input);
    document.body.append(form);
    form.submit();
  }, names);

/**
 * The application can be installed. It opens without a connection, keeps nothing but itself, and takes over a new
 * version. What a phone shares with it is uploaded when the person says where to, and is nobody's once they have logged
 * out.
 */
export const installed = {
  tab: { serviceWorkers: "allow" },
  whole: true,
  async walk({ page, server, context, wrong }) {
    await page.goto(`${server.url}/f/demo/landscapes`);
    await pictures(page);
    const cdp = await context.newCDPSession(page);
    const { installabilityErrors } = await cdp.send(
      "Page.getInstallabilityErrors",
    );
    const hindrances = installabilityErrors.map(({ errorId }) => errorId);
    assert.deepEqual(hindrances, ["in-incognito"]); // as every context of a journey is
    const { errors, url } = await cdp.send("Page.getAppManifest");
    assert.deepEqual(
      [errors, new URL(url).pathname],
      [[], "/app/manifest.webmanifest"],
    );
    const ready = () =>
      page.waitForFunction(() => navigator.serviceWorker.controller);
    await ready();
    await page.reload(); // what the page loads goes through the worker now
    await pictures(page);

    await context.setOffline(true);
    await page.reload();
    await page.getByRole("link", { name: "Library" }).first().waitFor();
    await page.getByText("Can’t reach the server").first().waitFor();
    assert.equal(
      await page.evaluate(() =>
        fetch("/api/auth/options").then(
          ({ status }) => status,
          () => "no answer",
        ),
      ),
      "no answer",
    );
    await context.setOffline(false);
    await tiles(page, 3);
    await pictures(page);
    forgetOutage(wrong);
    const own = await kept(page);
    assert.deepEqual(Object.keys(own), ["safelight.application"]);
    for (const path of own["safelight.application"])
      assert.match(path, /^\/$|^\/app\/\w{8}-/);

    // Another version: its document takes the place of the one before, whose files go.
    await page.evaluate(async () => {
      const cache = await caches.open("safelight.application");
      await cache.put("/", new Response("<script src='old'>"));
      await cache.put("/app/00000000-old.js", new Response("old"));
    });
    await page.reload();
    await pictures(page);
    await page.waitForFunction(async () => {
      const cache = await caches.open("safelight.application");
      const text = await (await cache.match("/")).text();
      const old = await cache.match("/app/00000000-old.js");
      return text.includes("/app/") && !old;
    });

    // A share waits for the person.
    await share(page, ["one.jpg", "two.jpg"]);
    await page.waitForURL(/\/share$/);
    await page.getByRole("heading", { name: "Upload 2 files?" }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.getByRole("button", { name: "Choose a folder" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("Phone");
    await dialog.getByRole("button", { name: "Upload" }).click();
    await page.waitForURL(/\/f\/Phone$/);
    await tiles(page, 2);
    assert.ok(existsSync(join(server.data, "files/Phone/two.jpg")));
    await page.goto(`${server.url}/share`);
    await page.getByText("Nothing to upload").waitFor();

    await share(page, ["three.jpg"]);
    await page.getByRole("heading", { name: "Upload 1 file?" }).waitFor();
    await share(page, ["four.jpg"]);
    await page.getByRole("heading", { name: "Upload 2 files?" }).waitFor();
    await page.evaluate(() => {
      const form = document.createElement("form");
      Object.assign(form, {
        method: "post",
        action: "/share",
        enctype: "text/plain", // which nobody can read as a form
      });
      document.body.append(form);
      form.submit();
    });
    await page.waitForURL(/\/share\?lost=1$/);
    await page.getByText("you shared last did not arrive").waitFor();
    await page.getByRole("heading", { name: "Upload 2 files?" }).waitFor();
    await page.goto(`${server.url}/me`);
    await page.getByRole("button", { name: "Log out", exact: true }).click();
    await page.waitForURL(/\/login/);
    await page.waitForFunction(
      async () => !(await caches.has("safelight.shared")),
    );
  },
};

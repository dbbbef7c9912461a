import assert from "node:assert/strict";
import { createServer } from "node:http";
import { tile } from "./tab.mjs";

const run =
  (code) =>
  ({ page }) =>
    page.evaluate(code);
const foreign = createServer((_, response) =>
  response.setHeader("Content-Type", "text/html").end("<!doctype html>"),
);

// What each does to a page, and how the walk has to fail.
const faults = {
  "an error in the console": [run(() => console.error("planted")), /planted/],
  "an exception": [
    ({ page }) =>
      Promise.all([
        page.waitForEvent("pageerror"),
        page.evaluate(
          () =>
            void setTimeout(() => {
              throw new Error("planted");
            }),
        ),
      ]),
    /planted/,
  ],
  "an inline script": [
    run(() =>
      document.head.append(
        Object.assign(document.createElement("script"), {
          textContent: "planted()",
        }),
      ),
    ),
    /TrustedScript|Content Security Policy/,
  ],
  "a picture of another host": [
    async ({ page }) => {
      const reported = page.waitForEvent("console");
      await page.evaluate(() =>
        document.body.append(
          Object.assign(new Image(), {
            src: "http://other.invalid/a.png",
            alt: "",
          }),
        ),
      );
      await reported;
    },
    /Content Security Policy/,
  ],
  "a request to another host": [
    ({ page }) => page.goto(`http://localhost:${foreign.address().port}/`),
    /asked http:\/\/localhost/,
  ],
  "a button without a name": [
    run(() =>
      document.querySelector("main").append(document.createElement("button")),
    ),
    /button-name/,
  ],
  "an error in another tab": [
    async ({ open, server }) => {
      const other = await open({ same: true });
      await other.goto(`${server.url}/me`);
      await other.evaluate(() => console.error("planted"));
    },
    /planted/,
  ],
  "a barrier where nobody is logged in": [
    async ({ open, server }) => {
      const other = await open();
      await other.goto(`${server.url}/login`);
      await other.getByLabel("Username").waitFor();
      await other.evaluate(() =>
        document.querySelector("form").append(document.createElement("button")),
      );
    },
    /login: button-name/,
  ],
  "a step that fails": [() => assert.equal(1, 2), /1 !== 2/],
};

/** Each fault that is planted into a page fails the walk; without one it passes. */
export const planted = {
  async walk({ server, visit }) {
    await new Promise((resolve) => foreign.listen(0, "localhost", resolve));
    const attempt = (fault) =>
      visit(async (all) => {
        await all.page.goto(`${server.url}/f/demo/landscapes`);
        await tile(all.page, 0).locator("img.shown").waitFor();
        await fault(all);
      });
    try {
      await attempt(() => undefined);
      for (const [name, [plant, says]] of Object.entries(faults)) {
        const error = await attempt(plant).then(
          () => null,
          (failure) => failure,
        );
        assert.ok(error, `${name} passed`);
        assert.match(error.message, says, name);
      }
    } finally {
      foreign.close(foreign.closeAllConnections());
    }
  },
};

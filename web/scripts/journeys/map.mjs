import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placed } from "./papers.mjs";
import { barriers, forgetOutage, pictures, settled } from "./tab.mjs";

// Where pictures were taken: 15 in Kyoto, of which two are at one place, and others in Tokyo, Oslo and on both sides of
// 180 degrees. One says 0, 0, as a device does that knows no position.
const spots = {
  ...Object.fromEntries(
    Array.from({ length: 13 }, (_, n) => [
      `kyoto-${n}`,
      [34.95 + n / 100, 135.7 + (n % 4) / 50],
    ]),
  ),
  "gion-1": [35.0037, 135.7788],
  "gion-2": [35.0037, 135.7788],
  shibuya: [35.6595, 139.7005],
  oslo: [59.9075, 10.7531],
  taveuni: [-16.85, 179.98],
  rabi: [-16.86, -179.97],
  junk: [0, 0],
};

export function travels(files) {
  mkdirSync(join(files, "travels"), { recursive: true });
  const jpeg = readFileSync(join(files, "demo/landscapes/dawn.jpg"));
  for (const [name, spot] of Object.entries(spots))
    writeFileSync(join(files, "travels", `${name}.jpg`), placed(jpeg, spot));
}

const pin = (page, name) => page.getByRole("button", { name, exact: true });
const region = (page) => page.getByRole("region", { name: "Map of places" });

/** Groups of pictures on a map, to be opened by mouse, keyboard and finger, without a request to anybody else. */
export const map = {
  server: { prepare: travels },
  async walk({ page, server }) {
    await server.indexed(await server.login());
    await page.goto(server.url);
    await page.getByRole("link", { name: "Map", exact: true }).click();
    await pin(page, "Kyoto, Japan: 15 pictures")
      .or(pin(page, "Japan: 16 pictures"))
      .waitFor();
    await pin(page, "Oslo, Norway: 1 picture").waitFor();
    await pin(page, "Labasa, Fiji: 2 pictures").waitFor();
    assert.deepEqual(await barriers(page), []);

    // what has no place is one link away
    const without = page.getByRole("link", { name: /have no place$/ });
    assert.match(await without.getAttribute("href"), /place%3Anone/);

    // a group comes closer until its pictures are apart, and the address keeps where
    await page.goto(`${server.url}/map?at=35.2,137.5,6`);
    await pin(page, "Tokyo, Japan: 1 picture").waitFor();
    await pin(page, "Kyoto, Japan: 15 pictures").click();
    await page.waitForFunction(
      () => Number(location.search.match(/(\d+(\.\d+)?)$/)?.[1]) > 7,
    );
    await page.goto(`${server.url}/map?at=35.0037,135.7788,17`);
    await pin(page, "Kyoto, Japan: 2 pictures").click();
    const strip = page.getByRole("region", {
      name: "Pictures at Kyoto, Japan",
    });
    await strip.getByText("2 pictures").waitFor();
    await settled(page);
    assert.deepEqual(await barriers(page), []);

    // the pictures keep the name of their place where the map has other groups
    await region(page).focus();
    await page.keyboard.press("0");
    await page.waitForURL(/at=[^&]*%2C[0-4](\.\d+)?(&|$)/);
    await page.reload();
    await strip.getByText("2 pictures").waitFor();
    await strip.getByRole("button", { name: /gion/ }).first().click();
    await page.waitForURL(/\/i\/travels\/gion-[12]\.jpg\?.*area/);
    const opened = new URL(page.url()).pathname;
    await page
      .getByRole("navigation", { name: "Pictures beside this one" })
      .waitFor();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL((url) => url.pathname !== opened);
    await page.keyboard.press("Escape");
    await strip.getByText("2 pictures").waitFor(); // as it was left
    await strip.getByRole("link", { name: "Show in gallery" }).click();
    await page.getByText("2 found").waitFor();
    await page
      .getByRole("button", { name: "Remove filter: in this part of the map" })
      .waitFor();

    // a search that the server refuses says so on the open map, which then shows nothing of the one before
    await page.goto(`${server.url}/map`);
    await pin(page, "Oslo, Norway: 1 picture").waitFor();
    const search = page.getByRole("combobox", { name: "Search" });
    await search.fill("near:Nowhereville");
    await search.press("Enter");
    await page
      .getByText("No city with this name was found. Try a larger one nearby.")
      .waitFor();
    assert.equal(
      await page.getByRole("button", { name: /picture/ }).count(),
      0,
    );
    await page.getByRole("button", { name: /^Remove filter/ }).click();
    await pin(page, "Oslo, Norway: 1 picture").waitFor();

    // keys move and zoom, and the map goes on beyond 180 degrees
    await page.goto(`${server.url}/map?at=-16.85,179.5,9`);
    await pin(page, "Labasa, Fiji: 2 pictures")
      .or(pin(page, "Labasa, Fiji: 1 picture").first())
      .first()
      .waitFor();
    await region(page).focus();
    const moved = (test) =>
      page.waitForURL((url) =>
        test(url.searchParams.get("at").split(",").map(Number)),
      );
    await page.keyboard.press("+");
    await moved((at) => at[2] === 10);
    for (let n = 0; n < 3; n++) {
      await page.keyboard.press("ArrowRight");
      await settled(page, 30);
    }
    await moved((at) => at[1] < 0);
    await page.keyboard.press("0");
    await moved((at) => at[2] < 5);

    // the wheel zooms where the pointer is, a drag moves and opens nothing
    const box = await region(page).boundingBox();
    await page.mouse.move(box.x + 300, box.y + 200);
    await page.mouse.wheel(0, -240);
    await page.mouse.wheel(0, -240);
    await settled(page, 30);
    await page.mouse.down();
    await page.mouse.move(box.x + 380, box.y + 240, { steps: 5 });
    await page.mouse.up();
    await settled(page, 30);
    assert.equal(new URL(page.url()).searchParams.get("area"), null);

    // the viewer names the place, and leads to it
    await page.goto(`${server.url}/i/travels/shibuya.jpg?info=1`);
    await page.getByText("Tokyo, Japan").waitFor();
    await page.getByRole("link", { name: "Show on the map" }).click();
    await pin(page, "Tokyo, Japan: 1 picture").click();
    await page
      .getByRole("region", { name: "Pictures at Tokyo, Japan" })
      .waitFor();
    await page.keyboard.press("Escape");
    await page
      .getByRole("region", { name: "Pictures at Tokyo, Japan" })
      .waitFor({ state: "detached" });
  },
};

/**
 * A map without answers asks again by itself. Its land is drawn while it moves, and a place with more pictures than a
 * page has shows every one of them, in the viewer too.
 */
export const mapAsksAgain = {
  server: {
    prepare(files) {
      mkdirSync(join(files, "travels"), { recursive: true });
      const jpeg = readFileSync(join(files, "demo/landscapes/moonlight.jpg"));
      for (let n = 100; n < 204; n++)
        writeFileSync(
          join(files, "travels", `oslo-${n}.jpg`),
          placed(jpeg, spots.oslo),
        );
    },
  },
  async walk({ page, server, wrong }) {
    await server.indexed(await server.login());
    let lost = 2;
    await page.route("**/api/graphql", (route) =>
      lost > 0 && route.request().postData().includes("query Clusters")
        ? (lost--, route.abort("internetdisconnected"))
        : route.continue(),
    );
    await page.goto(`${server.url}/map?at=59.9,10.7,5`);
    await pin(page, "Oslo, Norway: 104 pictures").waitFor();
    forgetOutage(wrong);

    // A finger that moves in every frame, and what the canvas shows meanwhile.
    const drawn = await region(page).evaluate(async (map) => {
      const canvas = map.querySelector("canvas");
      const frame = () => new Promise((next) => requestAnimationFrame(next));
      const point = (type, x) =>
        map.dispatchEvent(
          new PointerEvent(type, {
            pointerId: 7,
            pointerType: "touch",
            clientX: x,
            clientY: 300,
            buttons: 1,
            bubbles: true,
          }),
        );
      const shown = new Set();
      map.setPointerCapture = () => undefined; // no such finger is on the screen
      point("pointerdown", 400);
      for (let n = 0; n < 20; n++) {
        await frame();
        point("pointermove", 400 + n * 12);
        shown.add(canvas.toDataURL());
      }
      point("pointerup", 640);
      return shown.size;
    });
    assert.ok(drawn > 5, `${drawn} pictures of the land in 20 frames`);

    await page.goto(`${server.url}/map?at=59.9075,10.7531,15`);
    await pin(page, "Oslo, Norway: 104 pictures").click();
    const strip = page.getByRole("region", { name: "Pictures at Oslo" });
    await strip.getByText("104 pictures").waitFor();
    // Upright ones, of which a row holds many.
    const last = strip.getByRole("button", { name: /oslo/ }).nth(103);
    for (let n = 0; n < 20 && !(await last.count()); n++) {
      await strip
        .locator(".row")
        .evaluate((row) => row.scrollTo(row.scrollWidth, 0));
      await settled(page);
    }
    await last.click();
    await page.getByText("104 of 104").waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByText("103 of 104").waitFor();
  },
};

/** Pictures by place and by distance: suggestions, chips, and what is not known. */
export const searchPlaces = {
  server: { prepare: travels },
  async walk({ page, server }) {
    const box = page.getByRole("combobox", { name: "Search" });
    const found = async (n) =>
      page
        .getByRole("status")
        .filter({ hasText: `${n} found` })
        .waitFor();
    await server.indexed(await server.login());
    await page.goto(`${server.url}/search`);
    await box.fill("place:jap");
    await page.getByRole("option", { name: "Japan 16", exact: true }).click();
    await page.getByRole("button", { name: "Remove filter: Japan" }).waitFor();
    await found(16);
    await box.fill("kyot");
    await page
      .getByRole("option", { name: "Kyoto, Japan 15", exact: true })
      .click();
    await found(15);
    await page.goto(`${server.url}/search`);
    await box.fill("near:toky");
    await page
      .getByRole("option", { name: "within 25 km of Tokyo, Japan" })
      .click();
    await found(1);
    await pictures(page);
    assert.deepEqual(await barriers(page), []);
    await page.goto(
      `${server.url}/search?q=${encodeURIComponent("near:35.0037,135.7788,100m")}`,
    );
    await page
      .getByRole("button", {
        name: "Remove filter: within 100 m of 35.004, 135.779",
      })
      .waitFor();
    await found(2);
    await page.goto(
      `${server.url}/search?q=${encodeURIComponent('near:"Kyoto, JP, 400km"')}`,
    );
    await found(16);
    await page.goto(
      `${server.url}/search?q=${encodeURIComponent("place:none junk")}`,
    );
    await found(1);
    await page.goto(
      `${server.url}/search?q=${encodeURIComponent("near:91,200")}`,
    );
    await page
      .getByRole("button", { name: "Remove filter: near:91,200" })
      .waitFor();
    await page.goto(
      `${server.url}/search?q=${encodeURIComponent("near:Nowhereville")}`,
    );
    await page
      .getByText("No city with this name was found. Try a larger one nearby.")
      .waitFor();
  },
};

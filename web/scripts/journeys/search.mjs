import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripes } from "./paint.mjs";
import { barriers, pictures, tiles } from "./tab.mjs";

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

    await page.goto(`${server.url}/search?q=tokyo`);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const panel = page.getByRole("dialog", { name: "Filters" });
    await panel.getByRole("button", { name: "Red" }).click();
    await found(1);
    await panel.getByLabel("From").fill("2031-01-01");
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

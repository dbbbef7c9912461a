import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEditor, saveTemplate } from "./desk.mjs";
import { stripes } from "./paint.mjs";
import { barriers, pictures, tile, tiles } from "./tab.mjs";

export const names = Array.from({ length: 10 }, (_, i) => `shop-${i}.png`);
const grayOf = (i) => 20 + i * 22;

/** Ten pictures: the left half of each has a gray of its own, the right half is blue. */
export function paint(files) {
  mkdirSync(join(files, "shop"));
  names.forEach((name, i) =>
    writeFileSync(
      join(files, "shop", name),
      stripes(600, 400, [Array(3).fill(grayOf(i)), [0, 0, 255]]),
    ),
  );
}

/** Pixels of a picture of the server, each [r, g, b], and its size. */
const pixels = (page, url, points) =>
  page.evaluate(
    async ({ url, points }) => {
      const picture = await createImageBitmap(await (await fetch(url)).blob());
      const context = new OffscreenCanvas(
        picture.width,
        picture.height,
      ).getContext("2d");
      context.drawImage(picture, 0, 0);
      return {
        size: [picture.width, picture.height],
        colors: points.map(([x, y]) =>
          [...context.getImageData(x, y, 1, 1).data].slice(0, 3),
        ),
      };
    },
    { url, points },
  );
const near = (color, wanted, what) =>
  assert.ok(
    color.every((value, i) => Math.abs(value - wanted[i]) <= 8),
    `${what} is ${color}, expected ${wanted}`,
  );

async function makeTemplate(page, server) {
  await openEditor(
    page,
    server,
    "demo/landscapes/forest.jpg?p=300x200/filters:grayscale():image(300x40/color:ff0000,0,0)",
  );
  await saveTemplate(page, "Red band");
}

/** The ten are there, each made of its own picture, and those are as they were. */
async function lookAtResults(page, server) {
  await page.getByText("10 files saved", { exact: true }).waitFor();
  const session = await server.login();
  const { files } = await server.ask(
    session,
    '{ files(folder: "shop", first: 100) { totalCount nodes { name thumbnailUrls { original } } } }',
  );
  assert.equal(files.totalCount, 20);
  const urls = new Map(
    files.nodes.map((node) => [
      node.name,
      new URL(node.thumbnailUrls.original, server.url).href,
    ]),
  );
  for (const [i, name] of names.entries()) {
    const result = `shop-${i}-red-band.png`;
    assert.ok(urls.has(result), `${result} is missing in ${[...urls.keys()]}`);
    const made = await pixels(page, urls.get(result), [
      [150, 20],
      [60, 120],
      [240, 120],
    ]);
    assert.deepEqual(made.size, [300, 200]);
    near(made.colors[0], [255, 0, 0], `the band of ${result}`);
    near(made.colors[1], Array(3).fill(grayOf(i)), `the gray of ${result}`);
    near(
      made.colors[2],
      Array(3).fill(made.colors[2][0]),
      `what was blue in ${result}`,
    );
    const source = await pixels(page, urls.get(name), [[480, 240]]);
    assert.deepEqual([source.size, source.colors], [[600, 400], [[0, 0, 255]]]);
  }
}

async function appliesToTen({ page, server }) {
  await makeTemplate(page, server);
  await page.goto(`${server.url}/templates`);
  await page
    .getByRole("button", { name: "Apply Red band to pictures" })
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Search").fill("shop");
  await dialog
    .getByTitle("demo/landscapes/dawn.jpg")
    .waitFor({ state: "detached" });
  for (const name of names) await dialog.getByTitle(`shop/${name}`).click();
  await dialog.getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByRole("button", { name: "Save 10 new files" }).click();
  await lookAtResults(page, server);
}
/** A template is saved in the editor and applied to ten pictures, whose pixels are looked at. */
export const templateForTen = {
  server: { prepare: paint },
  walk: appliesToTen,
};

async function appliesToSelection({ page, server }) {
  await makeTemplate(page, server);
  await page.goto(`${server.url}/f/shop`);
  await tiles(page, 10);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("Control+a");
  await page.getByText("10 selected").waitFor();
  await page.getByRole("button", { name: "Apply template" }).click();
  await page
    .getByRole("dialog", { name: "Template for 10 pictures" })
    .waitFor();
  assert.deepEqual(await barriers(page), []);
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Red band" })
    .click();
  await page.getByRole("button", { name: "Save 10 new files" }).click();
  await lookAtResults(page, server);
}
/** The same from a selection in the gallery. */
export const templateForSelection = {
  server: { prepare: paint },
  walk: appliesToSelection,
};

async function fillsIn({ page, server }) {
  const session = await server.login();
  const envelope = {
    version: "1.0",
    dimensions: { mode: "predefined", width: 300, height: 200 },
    variables: [{ name: "title", type: "text", default: "Spring" }],
    transformations: {
      imagePath: "shop/shop-0.png",
      layers: [
        {
          id: "l1",
          name: "Title",
          type: "text",
          text: "{title}",
          x: 10,
          y: 10,
          fontSize: 30,
          visible: true,
        },
      ],
    },
  };
  const { saveTemplate: kept } = await server.ask(
    session,
    "mutation($input: SaveTemplateInput!) { saveTemplate(input: $input) { success message } }",
    {
      input: {
        name: "Titled",
        dimensionMode: "PREDEFINED",
        templateJson: JSON.stringify(envelope),
        sourceImagePath: "shop/shop-0.png",
      },
    },
  );
  assert.ok(kept.success, kept.message);
  await page.goto(`${server.url}/f/shop`);
  await tiles(page, 10);
  await pictures(page);
  for (const n of [0, 1])
    await tile(page, n).locator("[data-pick]").click({ force: true });
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Apply template" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Titled" })
    .click();
  await page
    .getByRole("textbox", { name: "title", exact: true })
    .fill("Autumn");
  await page.getByRole("button", { name: "Apply to 2 pictures" }).click();
  await page.getByRole("button", { name: "Save 2 new files" }).click();
  await page.getByText("2 files saved", { exact: true }).waitFor();
}
/** A template with a variable asks for it before it is applied to a selection. */
export const variablesForSelection = {
  server: { prepare: paint },
  walk: fillsIn,
};

const shapes = { wide: [900, 600], tall: [400, 900], square: [500, 500] };
const bars = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
];
async function cropsEveryShape({ page, server }) {
  // The left 480 of 900 pixels, which are 4:5.
  await openEditor(page, server, "shapes/wide.png?p=0x0:480x600/600x0");
  await saveTemplate(page, "Portrait", () =>
    page
      .getByText("Every picture is cropped to the same shape around")
      .waitFor(),
  );
  await page.goto(`${server.url}/f/shapes`);
  await tiles(page, 3);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("Control+a");
  await page.getByText("3 selected").waitFor();
  await page.getByRole("button", { name: "Apply template" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Portrait" })
    .click();
  await page.getByRole("button", { name: "Save 3 new files" }).click();
  await page.getByText("3 files saved", { exact: true }).waitFor();
  const session = await server.login();
  // What is at the left and at the right of each result: the wide one has lost its last bar, the narrow one none.
  const seen = {
    wide: [bars[0], bars[1]],
    tall: [bars[0], bars[2]],
    square: [bars[0], bars[2]],
  };
  for (const name of Object.keys(shapes)) {
    const { file } = await server.ask(
      session,
      `{ file(path: "shapes/${name}-portrait.png") { thumbnailUrls { original } } }`,
    );
    const made = await pixels(
      page,
      new URL(file.thumbnailUrls.original, server.url).href,
      [
        [20, 375],
        [580, 375],
      ],
    );
    assert.deepEqual(made.size, [600, 750], name);
    made.colors.forEach((color, i) => near(color, seen[name][i], name));
  }
}
/** A template with a crop is applied to pictures of every shape: each becomes that of the crop. */
export const templateCrop = {
  server: {
    prepare(files) {
      mkdirSync(join(files, "shapes"));
      for (const [name, [width, height]] of Object.entries(shapes))
        writeFileSync(
          join(files, "shapes", `${name}.png`),
          stripes(width, height, bars),
        );
    },
  },
  walk: cropsEveryShape,
};

/** One design is exported in its usual sizes: as files of those sizes, whose layer follows, and as a ZIP. */
async function exportsSizes({ page, server }) {
  // A yellow band over the lower quarter, a square at the right, which is in pixels, and a picture of natural size.
  await openEditor(
    page,
    server,
    "shapes/wide.png?p=filters:image(100px25p/color:ffff00,0,bottom):image(90x0/shapes/square.png,-90,0):image(logo.png,0,0)",
  );
  await page.getByRole("button", { name: "Export sizes" }).click();
  const dialog = page.getByRole("dialog", { name: "Export sizes" });
  await dialog
    .getByText("2 layers are in pixels and do not follow the size.")
    .waitFor();
  await dialog.getByRole("button", { name: "Use percent" }).click();
  await dialog.getByText("in pixels and do").waitFor({ state: "detached" });
  await dialog.getByLabel("File names").fill("");
  await dialog.getByText("Enter a name.").waitFor();
  await dialog.getByLabel("File names").fill("same");
  await dialog.getByText("Each file needs a different name.").waitFor();
  await dialog.getByLabel("Export link").uncheck();
  await dialog.getByLabel("Format of banner").selectOption("webp");
  await dialog.getByLabel("File names").fill("sale-{size}-{width}");
  await dialog.getByText("as in sale-story-1080.jpg").waitFor();
  const loaded = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "ZIP" }).click();
  assert.equal((await loaded).suggestedFilename(), "sale.zip");
  assert.deepEqual(await barriers(page), []);
  await dialog.getByRole("button", { name: "Export 4 files" }).click();
  await page.getByText("4 files saved", { exact: true }).waitFor();
  const session = await server.login();
  for (const [name, width, height] of [
    ["sale-story-1080.jpg", 1080, 1920],
    ["sale-portrait-1080.jpg", 1080, 1350],
    ["sale-square-1080.jpg", 1080, 1080],
    ["sale-banner-1500.webp", 1500, 500],
  ]) {
    const { file } = await server.ask(
      session,
      `{ file(path: "shapes/${name}") { thumbnailUrls { original } } }`,
    );
    assert.ok(file, `${name} is missing`);
    const made = await pixels(
      page,
      new URL(file.thumbnailUrls.original, server.url).href,
      [
        [width / 2, Math.round(height * 0.77)],
        [width / 2, Math.round(height * 0.73)],
      ],
    );
    assert.deepEqual(made.size, [width, height], name);
    near(made.colors[0], [255, 255, 0], `the band of ${name}`);
    assert.ok(
      Math.min(...made.colors[1].slice(0, 2)) < 100,
      `${name} has a band that is too high`,
    );
  }
}
export const exportSizes = {
  server: {
    prepare(files) {
      templateCrop.server.prepare(files);
      writeFileSync(join(files, "logo.png"), stripes(40, 40, bars));
    },
  },
  walk: exportsSizes,
};

/** The text of one size is larger than in the others. */
export async function textOfOneSize({ page, server }) {
  await openEditor(
    page,
    server,
    "demo/landscapes/dawn.jpg?p=600x400/filters:text(Hi,center,center,sans-bold-8p,ffffff)",
  );
  await page.getByRole("button", { name: "Export sizes" }).click();
  const dialog = page.getByRole("dialog", { name: "Export sizes" });
  const asked = page.waitForRequest((request) =>
    /1500x500\/.*sans-bold-16p/.test(decodeURIComponent(request.url())),
  );
  const field = dialog.getByRole("spinbutton", {
    name: "Text size of banner in percent",
  });
  await field.fill("200");
  await field.press("Tab");
  await asked;
  await dialog.getByRole("img", { name: "banner", exact: true }).waitFor();
  assert.equal(
    await dialog
      .getByRole("spinbutton", { name: "Text size of story in percent" })
      .inputValue(),
    "100",
  );
  assert.deepEqual(await barriers(page), []);
}

/** One size keeps another part of the picture in view than the others, and stops doing so. */
export const sizeOfItsOwn = {
  server: templateCrop.server,
  async walk({ page, server }) {
    await openEditor(page, server, "shapes/wide.png");
    await page.getByRole("button", { name: "Export sizes" }).click();
    const dialog = page.getByRole("dialog", { name: "Export sizes" });
    const shown = async (name) => {
      const art = dialog.getByRole("img", { name, exact: true });
      await art.waitFor();
      return art.evaluate(async (img) => {
        await img.decode();
        const canvas = new OffscreenCanvas(1, 1);
        const context = canvas.getContext("2d");
        const { naturalWidth: width, naturalHeight: height } = img;
        context.drawImage(img, width / 2, height / 2, 1, 1, 0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
      });
    };
    const becomes = async (name, color) => {
      const isThat = (seen) =>
        seen.every((value, i) => Math.abs(value - color[i]) < 60);
      for (let left = 100; !isThat(await shown(name)); left--) {
        assert.ok(left, `${name} does not become ${color.join(" ")}`);
        await page.waitForTimeout(200);
      }
    };
    const thumb = dialog.getByRole("button", { name: "Keep in view" });
    const click = async (x) => {
      const box = await thumb.boundingBox();
      await thumb.click({ position: { x: box.width * x, y: box.height / 2 } });
    };
    // All sizes show the middle bar, then the first; the portrait alone shows the last.
    await click(0.5);
    await becomes("story", bars[1]);
    await click(0.1);
    await becomes("story", bars[0]);
    await dialog
      .getByRole("button", { name: "Set the crop of portrait separately" })
      .click();
    await click(0.9);
    await becomes("portrait", bars[2]);
    await becomes("story", bars[0]);
    await dialog.getByText("portrait: its own focal point").waitFor();
    assert.deepEqual(await barriers(page), []);
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Export sizes" }).click();
    await becomes("portrait", bars[2]);
    await dialog.getByRole("button", { name: "Undo for portrait" }).click();
    await becomes("portrait", bars[0]);
    // A point cannot be chosen on a picture that is turned, and no result looks as if it could.
    await openEditor(page, server, "shapes/wide.png?p=filters:orient(90)");
    await page.getByRole("button", { name: "Export sizes" }).click();
    await dialog.getByRole("img", { name: "story", exact: true }).waitFor();
    assert.equal(
      await dialog.getByRole("button", { name: /^Choose the crop/ }).count(),
      0,
    );
  },
};

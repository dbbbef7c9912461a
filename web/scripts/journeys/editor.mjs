import assert from "node:assert/strict";
import { becomes, openEditor, rendered, saveTemplate } from "./desk.mjs";
import { barriers, settled } from "./tab.mjs";

/** Sliders, the typed URL, layers, crop, output, saving, and a question before unsaved work is lost. */
export async function editor({ page, server }) {
  await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg`);
  await page.getByRole("link", { name: "Edit" }).click();
  await page.locator("img[data-rendered]").waitFor();
  await page.locator("button.look img").nth(8).waitFor(); // the last of those that come by themselves
  const url = page.getByRole("textbox", { name: "URL of the result" });
  const asked = [];
  page.on(
    "request",
    (request) =>
      new URL(request.url()).pathname.startsWith("/unsafe/") &&
      asked.push(request.url()),
  );
  await page.getByRole("slider", { name: "Brightness" }).fill("20");
  await rendered(page, "brightness(20)");
  assert.equal(asked.length, 1, `one change asked for ${asked.join(" ")}`);
  assert.equal(
    await url.inputValue(),
    "filters:brightness(20)/demo/landscapes/dawn.jpg",
  );
  await page.getByText("Change the brightness by 20 percent").waitFor();
  // What is typed, and what was copied with a signature, is followed by the controls.
  await url.fill(
    "/abcdefghijklmnopqrst=/600x400/filters:contrast(-30):blurr(2)/demo/landscapes/dawn.jpg",
  );
  await rendered(page, "contrast(-30)");
  assert.equal(
    await page.getByRole("slider", { name: "Contrast" }).inputValue(),
    "-30",
  );
  await page.getByText('filter "blurr" is unknown').waitFor();
  await url.fill("600x400/filters:contrast(");
  await page.getByText("This URL is not complete yet.").waitFor();
  await url.press("Escape");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await rendered(page, "brightness(20)");
  // A layer of text, moved with the keys, hidden and shown.
  await page.getByRole("button", { name: "Add text" }).click();
  await page
    .getByRole("textbox", { name: "Text", exact: true })
    .fill("Good morning, (you)");
  await rendered(page, "Good%20morning%2C%20%28you%29");
  await page
    .getByRole("button", {
      name: "Move Good morning, (you) with the arrow keys",
    })
    .press("Shift+ArrowRight");
  await becomes(page, /center\+[\d.]+p/);
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Hide Good morning, (you)" }).click();
  assert.doesNotMatch(await url.inputValue(), /text\(/);
  // The address holds all of it, the hidden layer too.
  await page.waitForURL(/-text/);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await page.getByRole("button", { name: "Show Good morning, (you)" }).click();
  await rendered(page, "text(");
  await page.getByRole("button", { name: "Crop and rotate" }).click();
  // Only what the crop cuts off is darkened.
  await page.waitForFunction(() =>
    getComputedStyle(document.querySelector(".veil")).clipPath.startsWith(
      "path(evenodd",
    ),
  );
  await page.getByRole("button", { name: "1:1" }).click();
  await page
    .getByRole("button", { name: "Edge SE of the crop" })
    .press("ArrowLeft");
  await page.getByRole("button", { name: "Output" }).click();
  // Each format with its bytes and what the eye sees of it.
  await page
    .getByRole("button", { name: /JPEG .*B .*(difference|identical)/ })
    .waitFor();
  await page.getByRole("button", { name: /PNG .*B identical/ }).waitFor();
  await page.getByRole("button", { name: /WEBP/ }).click();
  await page.getByRole("button", { name: "Save as new file" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("morning");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved morning.webp.").waitFor();
  await saveTemplate(page, "Morning card");
  // Unsaved work is not left without a question.
  await page.getByRole("button", { name: "Light and color" }).click();
  await page.getByRole("slider", { name: "Saturation" }).fill("40");
  const question = page.waitForEvent("dialog");
  const left = page.getByRole("button", { name: "Back", exact: true }).click();
  await (await question).dismiss();
  await left;
  await page.getByText("not saved").waitFor();
  assert.match(page.url(), /\/edit\//);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto(`${server.url}/i/demo/landscapes/morning.webp`);
  await page.locator("img[data-shown]").waitFor();
}

/** On a phone in German the name of the picture is still read. */
export const germanPhone = {
  tab: {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    isMobile: true,
    locale: "de-DE",
  },
  async walk({ page, server }) {
    await page.goto(`${server.url}/edit/demo/landscapes/forest.jpg`);
    await page.locator("img[data-rendered]").waitFor();
    const title = await page
      .locator("h1")
      .evaluate(({ textContent, clientWidth, scrollWidth }) => ({
        textContent,
        clientWidth,
        scrollWidth,
      }));
    assert.equal(title.textContent, "forest.jpg");
    assert.ok(
      title.scrollWidth <= title.clientWidth,
      `the title has ${title.clientWidth} of ${title.scrollWidth} px`,
    );
    await page
      .getByRole("button", { name: "Als neue Datei speichern" })
      .waitFor();
  },
};

/** A picture is leveled by a slider, by keys and in the URL; the crop stays on it, and the picture follows without being asked for. */
export async function straighten({ page, server }) {
  await openEditor(page, server, "demo/landscapes/dawn.jpg?p=100x100:500x400");
  const url = page.getByRole("textbox", { name: "URL of the result" });
  const tilt = () =>
    page.evaluate(() => {
      const [a, b] = new DOMMatrix(
        getComputedStyle(
          document.querySelector("img[data-rendered]").parentElement,
        ).transform,
      ).toFloat64Array();
      return Math.round((-Math.atan2(b, a) * 1800) / Math.PI) / 10 || 0;
    });
  await page.getByRole("button", { name: "Crop and rotate" }).click();
  // The whole picture is there, and is turned in the page: nothing is asked for while the slider is held.
  await page.waitForFunction(
    () =>
      !document
        .querySelector("img[data-rendered]")
        ?.dataset.rendered.includes("100x100:500x400"),
  );
  await settled(page);
  const asked = [];
  page.on(
    "request",
    (request) =>
      new URL(request.url()).pathname.startsWith("/unsafe/") &&
      asked.push(request.url()),
  );
  const slider = page.getByRole("slider", { name: "Straighten" });
  await slider.focus();
  await page.keyboard.down("ArrowRight");
  await page.locator(".grid").waitFor();
  await page.keyboard.down("ArrowRight");
  await becomes(page, /straighten\(0\.2\)/);
  assert.equal(await tilt(), 0.2);
  assert.deepEqual(asked, []);
  await page.keyboard.up("ArrowRight");
  await page.locator(".grid").waitFor({ state: "detached" });
  await slider.fill("10");
  await becomes(page, /^\d+x\d+:\d+x\d+\/filters:straighten\(10\)\/demo/);
  assert.equal(await tilt(), 10);
  assert.deepEqual(await barriers(page), []);
  // The result is the server's, which also says it in words.
  await page.getByRole("button", { name: "Light and color" }).click();
  await rendered(page, "straighten(10)");
  assert.equal(await tilt(), 0);
  await page.getByText("Rotate counter-clockwise by 10 degrees").waitFor();
  // What is typed moves the slider, an undo too; a double click resets.
  await page.getByRole("button", { name: "Crop and rotate" }).click();
  await url.fill("filters:straighten(-7.5)/demo/landscapes/dawn.jpg");
  await page.waitForFunction(
    () =>
      document.querySelector('input[aria-label="Straighten"]').value === "-7.5",
  );
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await becomes(page, /straighten\(10\)/);
  await slider.dblclick();
  await becomes(page, /^\d+x\d+:\d+x\d+\/demo/);
  await settled(page); // "not saved" goes, and the buttons beside it move
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  // A link opens it as it is.
  await page.waitForURL((address) =>
    address.searchParams.get("p").includes("straighten(10)"),
  );
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await page.getByRole("button", { name: "Crop and rotate" }).click();
  assert.equal(await slider.inputValue(), "10");
}

/** Layers are grouped, locked and edited from within, by keyboard; text is written on the picture; a point of it is kept. */
export async function layers({ page, server }) {
  await openEditor(
    page,
    server,
    "demo/landscapes/dawn.jpg?p=900x600/filters:image(300x100/color:000000,40,40):text(Dawn,60,60,sans-bold-48,ffffff):image(200x0/demo/landscapes/forest.jpg,right,40)",
  );
  const url = page.getByRole("textbox", { name: "URL of the result" });
  const inside = page.getByRole("navigation", { name: "Layers you are in" });
  const choose = async (layer, item) => {
    await page.getByRole("button", { name: `More for ${layer}` }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  // Two layers become a group, which is one transparent canvas in the URL.
  await choose("Dawn", "Group with the layer below");
  await becomes(
    page,
    "image(fxf/filters:image(300x100/color:000000,40,40):text(Dawn,60,60,sans-bold-48,ffffff)/color:none,0,0)",
  );
  await page.getByRole("button", { name: "Edit the group" }).press("Enter");
  await inside.getByRole("heading", { name: "Group" }).waitFor();
  await rendered(page, "/color:none");
  // What is locked stays where it is; the URL does not know of it, the address does.
  await choose("Dawn", "Lock");
  await page.getByRole("button", { name: "Dawn", exact: true }).click();
  await page
    .getByRole("button", { name: "Dawn is locked" })
    .press("ArrowRight");
  assert.match(await url.inputValue(), /text\(Dawn,60,60/);
  await page.waitForURL(
    (address) =>
      address.searchParams.get("p").includes("_text(Dawn") &&
      address.searchParams.get("in") === "0",
  );
  assert.deepEqual(await barriers(page), []);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await inside.getByRole("heading", { name: "Group" }).waitFor();
  await page.getByRole("button", { name: "Dawn", exact: true }).click();
  await page.getByRole("button", { name: "Unlock", exact: true }).click();
  // Text is written where it stands.
  await page
    .getByRole("button", { name: "Move Dawn with the arrow keys" })
    .press("Enter");
  await page.getByRole("textbox", { name: "Text on the picture" }).fill("Dusk");
  await rendered(page, "text(Dusk");
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Escape");
  await page
    .getByRole("textbox", { name: "Text on the picture" })
    .waitFor({ state: "detached" });
  await inside.getByRole("button", { name: "dawn.jpg" }).click();
  await becomes(page, ":text(Dusk,60,60,sans-bold-48,ffffff)/color:none,0,0)");
  await choose("Group: 000000, Dusk", "Ungroup");
  await becomes(page, "filters:image(300x100/color:000000,40,40):text(Dusk,");
  // A picture in a layer has operations of its own.
  await choose("forest.jpg", "Edit this layer");
  await inside.getByRole("heading", { name: "forest.jpg" }).waitFor();
  await page.getByRole("button", { name: "Light and color" }).click();
  await page.getByRole("checkbox", { name: "Black and white" }).check();
  await becomes(
    page,
    "image(200x0/filters:grayscale()/demo/landscapes/forest.jpg,right,40)",
  );
  await rendered(page, "200x0/filters:grayscale()");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await becomes(page, "image(200x0/demo/landscapes/forest.jpg,right,40)");
  await page.keyboard.press("Escape");
  await inside.waitFor({ state: "detached" });
  // The point that a crop keeps, on the whole picture.
  await page.getByRole("button", { name: "Size", exact: true }).click();
  await page.getByRole("button", { name: "A point" }).click();
  await page
    .getByRole("button", { name: /^Focal point at 50 percent/ })
    .press("Shift+ArrowRight");
  await becomes(page, "focal(0.6,0.5)");
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Show the result" }).click();
  await rendered(page, "focal(0.6,0.5)");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto(`${server.url}/templates`);
  await page.getByRole("heading", { name: "Templates", exact: true }).waitFor();
}

/** A template is saved, applied to two pictures, edited and trashed. */
export async function templates({ page, server }) {
  await page.goto(`${server.url}/templates`);
  await page.getByRole("heading", { name: "Templates", exact: true }).waitFor();
  await openEditor(
    page,
    server,
    "demo/landscapes/forest.jpg?p=300x200/filters:grayscale():text(Proof,10,-10,sans-24,ffffff)",
  );
  await saveTemplate(page, "Proof");
  await page.goto(`${server.url}/templates`);
  const face = page.getByRole("button", { name: "Apply Proof to pictures" });
  await face.waitFor();
  await page.getByText("300 × 200").waitFor();
  assert.deepEqual(await barriers(page), []);
  await face.click();
  for (const name of ["dawn.jpg", "moonlight.jpg"])
    await page
      .getByRole("dialog")
      .getByTitle(`demo/landscapes/${name}`)
      .click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Apply", exact: true })
    .click();
  await page.getByRole("button", { name: "Save 2 new files" }).click();
  await page.getByText("2 files saved").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "More for Proof" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.waitForURL(/\/edit\/demo\/landscapes\/forest\.jpg\?.*template=/);
  await page.getByRole("checkbox", { name: "Black and white" }).waitFor();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await page.getByRole("button", { name: "More for Proof" }).click();
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await page.getByText("No templates yet").waitFor();
}

/** A template asks for a text and a picture when it is applied, keeps asking after an edit, and is compared with another. */
export async function variables({ page, server }) {
  await openEditor(
    page,
    server,
    "demo/landscapes/forest.jpg?p=600x400/filters:text(%257BTitle%257D,10,-10,sans-24,ffffff):image(100x0/demo/landscapes/dawn.jpg,20,20)",
  );
  await saveTemplate(page, "Card", async () => {
    await page
      .getByRole("textbox", { name: "Text for Title if nothing is filled in" })
      .fill("Untitled");
    await page.getByRole("checkbox", { name: "dawn.jpg" }).check();
    await page
      .getByRole("textbox", {
        name: "Label shown when asking for demo/landscapes/dawn.jpg",
      })
      .fill("Logo");
    assert.deepEqual(await barriers(page), []);
  });
  await openEditor(
    page,
    server,
    "demo/landscapes/forest.jpg?p=300x200/filters:blur(3)",
  );
  await saveTemplate(page, "Card small");
  await page.goto(`${server.url}/templates`);
  const dialog = page.getByRole("dialog").last();
  await page.getByRole("button", { name: "Apply Card to pictures" }).click();
  await dialog.getByTitle("demo/landscapes/moonlight.jpg").click();
  await dialog.getByRole("button", { name: "Apply", exact: true }).click();
  // The form begins with the defaults, and the preview follows it.
  const preview = (part) =>
    page.waitForFunction(
      (text) =>
        document.querySelector('img[alt="Preview"]')?.src.includes(text),
      part,
    );
  await preview("text(Untitled");
  await dialog.getByRole("textbox", { name: "Title" }).fill("Moonrise");
  await preview("text(Moonrise");
  await dialog.getByRole("button", { name: "Logo dawn.jpg" }).click();
  await page
    .getByRole("dialog", { name: "Choose the picture for Logo" })
    .getByTitle("demo/patterns/arcs.png")
    .click();
  await preview("arcs.png");
  assert.deepEqual(await barriers(page), []);
  await dialog.getByRole("textbox", { name: "Title" }).press("Enter");
  await page.waitForFunction(() =>
    document
      .querySelector('img[alt="moonlight.jpg"]')
      ?.src.includes("text(Moonrise"),
  );
  await page.getByRole("button", { name: "Save 1 new file" }).click();
  await page.getByText("1 file saved").waitFor();
  // Edited again, the text is still what is asked for.
  await page
    .getByRole("button", { name: "More for Card", exact: true })
    .click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.waitForURL(/\/edit\/.*template=.*Card/);
  await page.locator("img[data-rendered]").waitFor();
  await page.getByRole("button", { name: "Save as template" }).click();
  await page.waitForFunction(
    () =>
      document.querySelector(
        'input[aria-label="Text for Title if nothing is filled in"]',
      )?.value === "Untitled",
  );
  assert.equal(
    await page.getByRole("checkbox", { name: "dawn.jpg" }).isChecked(),
    true,
  );
  assert.equal(
    await page
      .getByRole("textbox", {
        name: "Label shown when asking for demo/landscapes/dawn.jpg",
      })
      .inputValue(),
    "Logo",
  );
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  // What two templates do differently, as pictures and in words.
  await page
    .getByRole("button", { name: "More for Card", exact: true })
    .click();
  await page.getByRole("menuitem", { name: "Compare templates" }).click();
  await page.getByRole("row", { name: "Size 600x400 300x200" }).waitFor();
  await page.getByRole("row", { name: "Blur – 3" }).waitFor();
  assert.deepEqual(await barriers(page), []);
}

/** A text gets a box, an outline and a shadow, which are seen, and leaves its place for none of them. */
export async function textAround({ page, server }) {
  await openEditor(page, server, "demo/landscapes/dawn.jpg?p=600x400");
  await page.getByRole("button", { name: "Add text" }).click();
  await rendered(page, "text(");
  const url = page.getByRole("textbox", { name: "URL of the result" });
  const place = (text) => text.match(/text\(([^,]*,[^,]*,[^,]*)/)[1];
  const before = place(await url.inputValue());
  // Each font is shown in its own face.
  await page.getByRole("button", { name: /^Font/ }).click();
  // The names in view are drawn, and a machine with many fonts has this one further down.
  const serif = page.locator("label", { hasText: "DejaVu Serif" });
  await serif.scrollIntoViewIfNeeded();
  await serif.locator(".sample").waitFor();
  await page.getByRole("radio", { name: "DejaVu Serif" }).click();
  await rendered(page, "DejaVu-Serif-bold-8p");
  // A choice closes the list, and so does Escape, which leaves the layer chosen. Arrow keys are one step to undo.
  const font = page.getByRole("button", { name: /^Font/ });
  const list = page.getByRole("radiogroup", { name: "Font" });
  await list.waitFor({ state: "detached" });
  await font.press("Enter");
  await list.waitFor();
  const steps = page.locator("aside ol > li");
  const count = await steps.count();
  // Later than the choice; and however slow the machine is, the keys follow each other at once.
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.getByRole("radio", { name: "DejaVu Serif" }).focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await steps.count(), count + 1);
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  assert.ok(await font.evaluate((one) => one === document.activeElement));
  await font.click();
  await page.getByRole("radio", { name: "DejaVu Serif" }).click();
  await rendered(page, "DejaVu-Serif-bold-8p");
  await page.getByRole("checkbox", { name: "Box" }).check();
  await rendered(page, "000000a0");
  await page.getByRole("slider", { name: "Padding" }).fill("60");
  await page.getByRole("slider", { name: "Rounded corners" }).fill("40");
  await rendered(page, "000000a0,60,40");
  await page.getByText(", box 000000a0").first().waitFor();
  await page.getByRole("checkbox", { name: "Outline" }).check();
  await page.getByRole("checkbox", { name: "Shadow" }).check();
  await rendered(page, "000000a0,60,40,000000,5,000000a0");
  assert.equal(place(await url.inputValue()), before);
  for (const part of ["Box", "Outline", "Shadow"])
    await page
      .getByRole("group", { name: part, exact: true })
      .getByRole("textbox", { name: "Color" })
      .first()
      .waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("checkbox", { name: "Box" }).uncheck();
  await becomes(page, /,none,60,40,000000/);
}

/** A picture layer gets round corners, a box, an outline and a shadow, and its frame goes around what is placed. */
export async function pictureAround({ page, server }) {
  await openEditor(
    page,
    server,
    "demo/landscapes/dawn.jpg?p=600x400/filters:image(300x200/filters:round_corner(20)/color:1b2a3a,50,50)",
  );
  await page.getByRole("button", { name: "Layers", exact: true }).click();
  await page
    .getByRole("button", { name: "1b2a3a", exact: true })
    .last()
    .click();
  const move = page.getByRole("button", {
    name: "Move 1b2a3a with the arrow keys",
  });
  await move.waitFor();
  const bare = (await move.boundingBox()).width;
  // Corners in pixels are shown in percent, and become those of the layer when they are changed.
  const corners = page.getByRole("slider", { name: "Rounded corners" });
  assert.equal(await corners.inputValue(), "10");
  await corners.fill("30");
  await rendered(page, "image(300x200/color:1b2a3a,50,50,0,normal,none,5,30)");
  await page.getByRole("checkbox", { name: "Outline" }).check();
  await page.getByRole("checkbox", { name: "Shadow" }).check();
  await rendered(page, "none,5,30,000000,2,000000a0)");
  await page.getByRole("checkbox", { name: "Box" }).check();
  await page.getByRole("slider", { name: "Padding" }).fill("25");
  await rendered(page, "000000a0,25,30,000000,2,000000a0)");
  // 50 pixels on each side, of the picture's 600.
  const scale = (await page.locator("img[data-rendered]").boundingBox()).width;
  await page.waitForFunction(
    ([bare, wanted]) => {
      const frame = document.querySelector("[data-others]");
      return Math.abs(frame.getBoundingClientRect().width - bare - wanted) < 12;
    },
    [bare, (100 * scale) / 600],
  );
  assert.deepEqual(await barriers(page), []);
}

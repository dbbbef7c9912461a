// Small things that people who use the application every day do without looking, and what must not surprise them then.
import assert from "node:assert/strict";
import { becomes, openEditor, saveTemplate } from "./desk.mjs";
import { patience, pictures, settled, tile, tiles } from "./tab.mjs";

/** The name of the picture or button that has the focus. */
const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");

/** Keys work in the viewer after its menu, however that was closed. */
export async function keysAfterMenu({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await tile(page, 0).click();
  await page.getByText("1 of 3").waitFor();
  const more = page.getByRole("button", { name: "More", exact: true });
  const menu = page.getByRole("menu");
  await more.click();
  await menu.waitFor();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  assert.equal(await focused(page), "More");
  await page.keyboard.press("ArrowRight");
  await page.getByText("2 of 3").waitFor();
  await page.keyboard.press("3");
  await page.getByRole("img", { name: "3 stars" }).waitFor();
  await more.click();
  await menu.waitFor();
  await page.mouse.click(600, 500);
  await menu.waitFor({ state: "detached" });
  await page.keyboard.press("ArrowLeft");
  await page.getByText("1 of 3").waitFor();
}

/** What is typed into the search is not searched where one has gone back to before the pause after the last key. */
export async function searchGoneBack({ page, server }) {
  await page.goto(`${server.url}/f/demo`);
  const card = page.getByRole("link", { name: "landscapes" }).last();
  await card.click();
  await page.waitForURL(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await page.getByRole("combobox").fill("dawn");
  await page.goBack();
  await page.waitForURL(`${server.url}/f/demo`);
  await card.waitFor();
  await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
  await page.getByRole("combobox").blur();
  await settled(page);
  assert.equal(page.url(), `${server.url}/f/demo`);
  assert.equal(await page.getByRole("combobox").inputValue(), "");
}

/** After F2 the focus is on the picture that was renamed, where it stands now, and Delete removes that one. */
export async function focusAfterRename({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("F2");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("zenith");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction(
    () => document.activeElement.id === "item-2", // after forest and moonlight
  );
  assert.equal(await focused(page), "zenith.jpg");
  await page.keyboard.press("Delete");
  await tiles(page, 2);
  await pictures(page);
  assert.deepEqual(
    await page
      .locator("[role=option]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
    ["forest.jpg", "moonlight.jpg"],
  );
}

/** The focus is on the picture that was seen last when the viewer is left. */
export async function focusAfterViewer({ page, server }) {
  await page.setViewportSize({ width: 420, height: 420 });
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await tile(page, 0).click();
  await page.locator("img[data-shown]").waitFor();
  for (let n = 0; n < 2; n++) {
    const before = page.url();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL((now) => now.href !== before);
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "item-2");
  const box = await tile(page, 2).boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 420, "it is not in sight");
}

/** Back closes what is open over the page, and only then leaves it. */
export async function backClosesDialog({ page, server }) {
  const folder = `${server.url}/f/demo/landscapes`;
  await page.goto(`${server.url}/f/demo`);
  await page.getByRole("link", { name: "landscapes" }).last().click();
  await page.waitForURL(folder);
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("F2");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  assert.equal(page.url(), folder);
  await tile(page, 0).click({ button: "right" });
  await page.getByRole("menu").waitFor();
  await page.goBack();
  await page.getByRole("menu").waitFor({ state: "detached" });
  assert.equal(page.url(), folder);
  await page.goBack();
  await page.waitForURL(`${server.url}/f/demo`);
}

const slash = "A name cannot contain / or";

/** Enter makes a folder, by itself or as the place that pictures are moved to. A slash does not make two. */
export async function enterMakesFolder({ page, server }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await pictures(page);
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByLabel("Name", { exact: true }).fill("South/West");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText(slash).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Proofs");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.url}/f/demo/landscapes/Proofs`);
  await page.goBack();
  await pictures(page);
  await tile(page, 0).focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByRole("textbox", { name: /New folder in/ }).fill("South/West");
  await page.getByRole("dialog").getByText(slash).waitFor();
  await page.getByRole("textbox", { name: /New folder in/ }).fill("Chosen");
  await page.keyboard.press("Enter");
  await page.getByText("1 picture moved to demo/landscapes/Chosen").waitFor();
  await tiles(page, 2);
}

/** The crop lies over the picture as it is seen when that is turned or mirrored, and keeps its ratio. */
export async function cropTurned({ page, server }) {
  await openEditor(page, server, "demo/landscapes/dawn.jpg");
  await page.getByRole("button", { name: "Crop and rotate" }).click();
  const shape = async (locator) => {
    const box = await locator.boundingBox();
    return { ...box, ratio: box.width / box.height };
  };
  const picture = page.locator("img[data-rendered]");
  await page.waitForFunction(() => document.querySelector(".box .handle"));
  const before = await shape(picture);
  await page.getByRole("button", { name: "4:3", exact: true }).click();
  await becomes(page, /\d+x\d+:\d+x\d+/);
  // The icon for mirroring left to right has its axis upright.
  const axis = await page
    .getByRole("button", { name: "Flip horizontally" })
    .locator("path")
    .first()
    .getAttribute("d");
  assert.match(axis, /^M12 /);
  await page.getByRole("button", { name: "Rotate right" }).click();
  await becomes(page, "rotate(270)");
  await settled(page);
  const turned = await shape(picture);
  assert.ok(
    Math.abs(turned.ratio - 1 / before.ratio) < 0.02,
    `the picture is seen ${turned.ratio} wide, it was ${before.ratio}`,
  );
  const box = page.locator(".box").filter({ has: page.locator(".handle") });
  const held = (name) =>
    page
      .getByRole("button", { name, exact: true })
      .and(page.locator("[aria-pressed=true]"))
      .waitFor();
  await held("3:4");
  assert.ok(Math.abs((await shape(box)).ratio - 3 / 4) < 0.02);
  await page.getByRole("button", { name: "16:9", exact: true }).click();
  await page.waitForFunction(() => {
    const { width, height } = document
      .querySelector(".box:has(.handle)")
      .getBoundingClientRect();
    return Math.abs(width / height - 16 / 9) < 0.03;
  });
  // A corner that is dragged follows the pointer, and the ratio stays; also after another panel was open.
  await page.getByRole("button", { name: "Light and color" }).click();
  await page.getByRole("button", { name: "Crop and rotate" }).click();
  await held("16:9");
  await settled(page); // the picture has its place beside the other panel
  const wide = await shape(box);
  await page.mouse.move(wide.x + wide.width, wide.y + wide.height);
  await page.mouse.down();
  await page.mouse.move(wide.x + wide.width - 60, wide.y + wide.height - 20, {
    steps: 4,
  });
  await page.mouse.up();
  const dragged = await shape(box);
  assert.ok(Math.abs(dragged.ratio - 16 / 9) < 0.03, `${dragged.ratio}`);
  assert.ok(dragged.width < wide.width - 20, "the corner has not moved");
  assert.ok(
    Math.abs(dragged.x - wide.x) < 2 && Math.abs(dragged.y - wide.y) < 2,
  );

  // The fields count on what is seen: the box is as far from the left and from the top as they say.
  const field = (name) => page.getByRole("spinbutton", { name, exact: true });
  const fill = async (name, value) => {
    await field(name).fill(String(value));
    await field(name).press("Enter");
  };
  await page.getByRole("button", { name: "Flip horizontally" }).click();
  await becomes(page, "rotate(270)");
  for (const [name, value] of [
    ["Width", 300],
    ["Height", 200],
    ["X", 40],
    ["Y", 120],
  ])
    await fill(name, value);
  // The top of the file is at the right after a turn to the right, and at the left once mirrored.
  await becomes(page, "120x40:320x340");
  const seenPicture = await shape(picture);
  const scale =
    seenPicture.width / Number(await field("Width").getAttribute("max"));
  const at = await shape(box);
  const near = (a, b) => Math.abs(a - b) < 2;
  assert.ok(near(at.x - seenPicture.x, 40 * scale), JSON.stringify(at));
  assert.ok(near(at.y - seenPicture.y, 120 * scale), JSON.stringify(at));
  assert.ok(near(at.width, 300 * scale) && near(at.height, 200 * scale));
  // So do the names of the handles: the top edge is the one above.
  const handle = (edge) =>
    page.getByRole("button", { name: `Edge ${edge} of the crop`, exact: true });
  const top = await shape(handle("N"));
  assert.ok(near(top.y + top.height / 2, at.y), JSON.stringify(top));
}

/** Back on the first page of a tab closes what is open over it, and leaves the site only after that. */
export async function backOnFirst({ page, server }) {
  await server.login();
  const first = `${server.url}/f/demo/landscapes`;
  const dialog = page.getByRole("dialog");
  const open = async (key = "Control+k") => {
    await page.keyboard.press(key);
    await dialog.waitFor();
  };
  await page.goto(first);
  await pictures(page);
  await tile(page, 0).focus();
  await open("F2");
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  assert.equal(page.url(), first);
  await pictures(page);

  // Escape leaves no entry behind that Back would have to pass, and pages that follow work as always.
  await open();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Timeline" }).first().click();
  await page.waitForURL(/\/timeline/);
  await open();
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  await page.waitForURL(/\/timeline/);
  await page.goBack();
  await page.waitForURL(first);
  await page.goBack();
  await page.waitForURL("about:blank");

  // A picture that the tab began with is closed to its folder, also after others took its place.
  await page.goto("about:blank");
  await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg`);
  await page.getByRole("button", { name: "Next picture" }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/\/i\/demo\/landscapes\/forest\.jpg/);
  await page.keyboard.press("Escape");
  await page.waitForURL(first);
}

/** The editor copies an address that follows the file, and says so; edits that were reloaded are not lost without a question. */
export async function copiedAndReloaded({ page, context, server }) {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: new URL(server.url).origin,
  });
  await page.goto(`${server.url}/i/demo/landscapes/dawn.jpg`);
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.locator("img[data-rendered]").waitFor();
  await page.getByRole("button", { name: "Crop and rotate" }).click();
  await page.getByRole("button", { name: "Rotate right" }).click();
  await becomes(page, "rotate(270)");
  const copy = page.getByRole("button", { name: "Copy the signed URL" });
  await copy.click();
  await page.getByText("The URL follows the file").waitFor();
  const url = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(
    (await fetch(url)).headers.get("cache-control"),
    "public, max-age=300, no-transform",
  );
  await page.waitForURL(/rotate/);
  const questions = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.type());
    return dialog.type() === "confirm" ? dialog.dismiss() : dialog.accept();
  });
  await page.reload();
  await page.locator("img[data-rendered]").waitFor();
  questions.length = 0;
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await page.waitForFunction(() => location.pathname.startsWith("/edit/"));
  for (
    const end = Date.now() + patience;
    !questions.length && Date.now() < end;
  )
    await page.waitForTimeout(100);
  assert.deepEqual(questions, ["confirm"]);
  assert.match(page.url(), /\/edit\/demo\/landscapes\/dawn\.jpg\?p=.*rotate/);
}

/** The list of templates shows a tall design whole. */
export async function tallTemplate({ page, server }) {
  await openEditor(page, server, "demo/landscapes/dawn.jpg?p=200x900");
  await saveTemplate(page, "Tall");
  await page.goto(`${server.url}/templates`);
  const face = page.locator(".face").filter({ has: page.locator("img") });
  await page.waitForFunction(
    () => document.querySelector(".face img")?.naturalHeight > 0,
  );
  const [frame, picture] = [
    await face.boundingBox(),
    await face.locator("img").boundingBox(),
  ];
  assert.ok(
    picture.height <= frame.height + 1,
    `${picture.height} px of a picture in ${frame.height} px`,
  );
}

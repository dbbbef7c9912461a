import assert from "node:assert/strict";
import { becomes, openEditor } from "./desk.mjs";

/** A layer that is dragged or made larger goes to the lines of the picture and of other layers, and with Alt to where it is let go. */
export async function guides({ page, server }) {
  await openEditor(
    page,
    server,
    "demo/landscapes/dawn.jpg?p=900x600/filters:image(200x100/color:000000,120,60):image(80x40/color:ffffff,400,410)",
  );
  await page.getByRole("button", { name: "ffffff", exact: true }).click();
  const layer = page.getByRole("button", {
    name: "Move ffffff with the arrow keys",
  });
  // The other layer is measured before it has lines.
  await page.locator('[data-others="1"]').waitFor();
  const picture = await page.locator("img[data-rendered]").boundingBox();
  const scale = picture.width / 900;
  /** Drags a point of the layer, in pixels of the picture; `look` sees it before it is let go. */
  const drag = async (from, by, look = async () => undefined) => {
    await page.mouse.move(
      picture.x + from[0] * scale,
      picture.y + from[1] * scale,
    );
    await page.mouse.down();
    await page.mouse.move(
      picture.x + (from[0] + by[0]) * scale,
      picture.y + (from[1] + by[1]) * scale,
    );
    await look();
    await page.mouse.up();
  };
  const guide = page.locator(".guide");
  // Near the left edge of the other layer: it goes there, and a line says so.
  await drag([440, 430], [-277, -39], () => guide.waitFor());
  await becomes(page, "image(80x40/color:ffffff,120,371)");
  await guide.waitFor({ state: "detached" });
  // Near the center of the picture it is centered, whatever its size becomes.
  await drag([160, 391], [288, -45], async () => guide.nth(0).waitFor());
  await becomes(page, "image(80x40/color:ffffff,center,326)");
  // With Alt nothing holds it.
  await page.keyboard.down("Alt");
  await drag([450, 346], [2, 20]);
  await page.keyboard.up("Alt");
  await becomes(page, "image(80x40/color:ffffff,center+0.22p,346)");
  assert.equal(await guide.count(), 0);
  // Keys move it by one pixel and by ten.
  await layer.press("ArrowLeft");
  await layer.press("Shift+ArrowDown");
  await becomes(page, "image(80x40/color:ffffff,center+0.11p,356)");
}

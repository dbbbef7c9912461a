import assert from "node:assert/strict";
import { barriers, settled } from "./tab.mjs";

// A client picks, rates and comments on the pictures of a link; another visitor sees the comment, not the picks. The
// owner sees all of it, copies the names of what was picked, hides the comment, and closes feedback.
async function clients({ page, server, open, wrong }) {
  await page.goto(`${server.url}/f/demo/landscapes`);
  await settled(page);
  await page.getByRole("button", { name: "Actions for this folder" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title for visitors").fill("Proofs");
  await dialog.getByLabel("Visitors may comment, pick and rate").check();
  await dialog.getByText("They give a name.").waitFor();
  assert.deepEqual(await barriers(page), []);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const address = await dialog
    .getByLabel("The link", { exact: true })
    .inputValue();

  // The client: the first pick asks for a name, and is kept when there is one.
  const client = await open();
  await client.goto(address);
  const grid = client.locator(".grid button");
  const first = client.locator(".grid li").first();
  const look = client.getByRole("dialog");
  await client.getByText("Open a picture to pick, reject").waitFor();
  const picked = client.waitForResponse((r) => r.url().endsWith("/mark"));
  await first.getByRole("button", { name: "Pick" }).click();
  await look.getByLabel("Your name").fill("Ann");
  assert.deepEqual(await barriers(client), []);
  await look.getByRole("button", { name: "Continue" }).click();
  assert.equal((await picked).status(), 204);
  await look.waitFor({ state: "detached" });
  await first.locator("[aria-pressed=true]").waitFor();
  assert.deepEqual(await barriers(client), []);
  // Back closes the comments, then the picture.
  const text = look.getByLabel("Write a comment");
  await grid.first().click();
  await client.keyboard.press("c");
  await text.waitFor();
  await client.goBack();
  await text.waitFor({ state: "detached" });
  await client.goBack();
  await look.waitFor({ state: "detached" });
  assert.equal(client.url(), address);
  await grid.first().click();
  await client.keyboard.press("c");
  await text.fill("<b>The sky</b> is too dark, p5x");
  const box = await look.locator(".frame").boundingBox();
  await client.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
  await look.getByRole("button", { name: "Remove the mark" }).waitFor();
  assert.deepEqual(await barriers(client), []);
  await look.getByRole("button", { name: "Send" }).click();
  await look.getByText("<b>The sky</b> is too dark, p5x").waitFor();
  await look.locator(".pin").filter({ hasText: "1" }).waitFor();
  await look.getByRole("button", { name: "1 comment" }).waitFor();
  assert.ok(
    await text.evaluate((field) => field === document.activeElement),
    "the field has lost the focus",
  );

  // Letters in a comment are no keys; outside they are.
  const pick = look.getByRole("button", { name: "Pick", exact: true });
  assert.equal(await pick.getAttribute("aria-pressed"), "true");
  await look
    .getByRole("button", { name: "Close", exact: true })
    .first()
    .click();
  await text.waitFor({ state: "detached" });
  for (const pressed of ["false", "true"]) {
    const stored = client.waitForResponse((r) => r.url().endsWith("/mark"));
    await client.keyboard.press("p");
    assert.equal((await stored).status(), 204);
    assert.equal(await pick.getAttribute("aria-pressed"), pressed);
  }
  const rated = client.waitForResponse((r) => r.url().endsWith("/mark"));
  await client.keyboard.press("4");
  assert.equal((await rated).status(), 204);
  // What is not kept is said where they are, in the dialog, and the note can be closed.
  await client.route("**/mark", (route) =>
    route.fulfill({
      status: 500,
      json: { error: "INTERNAL", message: "no" },
    }),
  );
  await client.keyboard.press("2");
  const note = look.locator(".toast");
  await note.getByText("Not saved, try again").waitFor();
  assert.deepEqual(await barriers(client), []);
  await note.getByRole("button", { name: "Close" }).click();
  await note.waitFor({ state: "detached" });
  await client.unroute("**/mark");
  const kept = wrong.filter((text) => !/status of 500/.test(text));
  wrong.splice(0, wrong.length, ...kept);
  await client.keyboard.press("ArrowRight");
  const rejected = client.waitForResponse((r) => r.url().endsWith("/mark"));
  await client.keyboard.press("x");
  assert.equal((await rejected).status(), 204);
  assert.deepEqual(await barriers(client), []);
  await client.keyboard.press("Escape");
  const marked = client.getByRole("button", {
    name: /, Picked, 4 stars, 1 comment$/,
  });
  await marked.waitFor();
  const name = (await marked.getAttribute("aria-label")).split(",")[0];
  await client.reload();
  await marked.waitFor();
  assert.deepEqual(await barriers(client), []);

  // They find what they chose.
  await client.getByText("Picked (1)", { exact: true }).click();
  await client.locator(".grid li button.picture").nth(1).waitFor({
    state: "detached",
  });
  await marked.waitFor();
  await client.reload();
  await marked.waitFor();
  await client.getByText("Rejected (1)", { exact: true }).click();
  await client.getByRole("button", { name: /, Rejected$/ }).waitFor();
  assert.equal(await client.locator("button.picture").count(), 1);
  assert.deepEqual(await barriers(client), []);
  await client.getByText("All", { exact: true }).click();
  await marked.waitFor();

  // Somebody else sees the comment, not the picks.
  const other = await open();
  await other.goto(address);
  await other.getByRole("button", { name: `${name}, 1 comment` }).click();
  await other.keyboard.press("c");
  await other.getByText("<b>The sky</b> is too dark").waitFor();
  assert.equal(await other.getByText("Picked").count(), 0);
  await other.getByLabel("Your name").fill("Ben");
  await other.getByRole("button", { name: "Continue" }).click();
  await other.getByLabel("Write a comment").waitFor();

  // The owner.
  await page.goto(`${server.url}/me`);
  await page.getByText("3 new").waitFor();
  await page.goto(`${server.url}/me/shares`);
  await page.getByRole("link", { name: "Feedback on Proofs" }).click();
  await page.getByRole("heading", { name: "Proofs" }).waitFor();
  const seen = (text) => page.locator(".grid li", { hasText: text });
  await seen(/Ann\s*Picked\s*Rating\s*4/).waitFor();
  await seen(/Ann\s*Rejected/).waitFor();
  await page.locator(".comments .pin").waitFor();
  await page.locator(".comments .new").waitFor();
  await other.getByLabel("Write a comment").fill("Which lens?");
  await other.getByRole("button", { name: "Send" }).click();
  await page.locator(".comments").getByText("Which lens?").waitFor();
  assert.equal(await page.locator(".comments .new").count(), 2);
  await page.getByRole("button", { name: "Delete comment" }).first().click();
  await page
    .locator(".comments")
    .getByText("Which lens?")
    .waitFor({ state: "detached" });
  await settled(page);
  assert.deepEqual(await barriers(page), []);
  await page.getByText("Picked", { exact: true }).first().click();
  await seen(/Ann\s*Rejected/).waitFor({ state: "detached" });
  assert.equal(await page.locator(".grid li").count(), 1);
  await page.getByRole("button", { name: "Hide from visitors" }).click();
  await page.getByRole("button", { name: "Show to visitors" }).waitFor();
  await other.reload();
  await other.getByRole("button", { name, exact: true }).waitFor();
  await page.getByRole("button", { name: "Close feedback" }).click();
  await page.getByText("Feedback is closed:").waitFor();
  assert.deepEqual(await barriers(page), []);
  await client.reload();
  await client.getByRole("button", { name, exact: true }).click();
  await client.getByRole("button", { name: "Next picture" }).waitFor();
  assert.equal(await client.getByRole("button", { name: "Pick" }).count(), 0);

  // Its link is changed where it is listed; its address stays.
  await page.goto(`${server.url}/me/shares`);
  await page.getByRole("button", { name: "Edit the link Proofs" }).click();
  assert.deepEqual(await barriers(page), []);
  await dialog.getByLabel("Title for visitors").fill("Winter");
  await dialog.getByText("Never", { exact: true }).click();
  await dialog.getByLabel("Password (optional)").fill("granite-salt-38-lamp");
  await dialog.getByLabel("Visitors may comment, pick and rate").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Never ends").waitFor();
  await client.reload();
  await client.getByLabel("Password").fill("granite-salt-38-lamp");
  await client.getByRole("button", { name: "Show the pictures" }).click();
  await client.getByRole("heading", { name: "Winter" }).waitFor();
  await page.getByRole("button", { name: "Edit the link Winter" }).click();
  await dialog.getByText("Remove", { exact: true }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await client.reload();
  await marked.waitFor();
  await page.getByRole("button", { name: "Revoke the link Winter" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Revoke" })
    .click();
  await page.getByText("No links yet.").waitFor();
}

export const feedback = { walk: clients };

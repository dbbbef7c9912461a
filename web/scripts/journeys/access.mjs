import assert from "node:assert/strict";
import { barriers, logIn, settled } from "./tab.mjs";

const landscapes = "/f/demo/landscapes";

async function grants({ page, server, open }) {
  const admin = await server.login();
  await server.ask(
    admin,
    'mutation { createUser(input: { displayName: "Iris", username: "iris", password: "a long enough one", role: USER }) { id } }',
  );
  const dialog = page.getByRole("dialog");
  const close = async () => {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  };
  const access = async (address) => {
    await page.goto(server.url + address);
    await page.getByRole("button", { name: "Actions for this folder" }).click();
    await page.getByRole("menuitem", { name: "Access" }).click();
    await dialog.getByText("Granted on this folder").waitFor();
  };

  // A group with a person.
  await page.goto(`${server.url}/admin/groups`);
  await page.getByText("No groups yet").waitFor();
  await page.getByLabel("Name").fill("Retouch");
  await page.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Nobody is in this group yet").waitFor();
  await dialog.getByLabel("Add a person").fill("iri");
  await dialog.getByRole("button", { name: "Iris" }).click();
  await dialog.getByRole("button", { name: "Remove Iris" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await close();
  await page.getByText("1 member").waitFor();
  assert.deepEqual(await barriers(page), []);

  // It may view one folder, and nobody else anything.
  await access(landscapes);
  await dialog.getByText("Nothing is granted here").waitFor();
  await dialog.getByText("From the folders above").waitFor();
  await dialog.getByLabel("Add a person or group").fill("retou");
  await dialog.getByRole("button", { name: "Retouch" }).click();
  const right = dialog.getByLabel("Right of Retouch");
  await right.waitFor();
  assert.equal(await right.inputValue(), "VIEW");
  assert.deepEqual(await barriers(page), []);
  await close();
  await access("/f");
  await dialog.getByText("At first, everyone with an account").waitFor();
  for (const name of ["Everyone with an account", "Guests"]) {
    await dialog.getByRole("button", { name: `Remove ${name}` }).click();
    await dialog.getByRole("button", { name, exact: true }).waitFor();
  }
  assert.deepEqual(await barriers(page), []);
  await close();

  // The person sees this folder only, and no way to change it.
  const iris = await open();
  await iris.goto(`${server.url}/login`);
  await logIn(iris, "iris", "a long enough one");
  await iris.waitForURL(`${server.url}/`);
  const menuOf = async (address) => {
    await iris.goto(server.url + address);
    await settled(iris);
    await iris.getByRole("button", { name: "Actions for this folder" }).click();
    await iris.getByRole("menuitem", { name: "Properties" }).waitFor();
    await settled(iris);
    const all = await iris.getByRole("menuitem").allTextContents();
    await iris.keyboard.press("Escape");
    return all.map((text) => text.trim()).join();
  };
  const changing = /New folder|Upload|Rename|Move|Duplicate|Delete|Access/;
  await iris.goto(`${server.url}/f/demo`);
  await settled(iris);
  assert.deepEqual(
    await iris
      .locator("[data-folder]")
      .evaluateAll((all) => all.map((one) => one.dataset.folder)),
    ["demo/landscapes"],
  );
  assert.doesNotMatch(await menuOf(landscapes), changing);
  assert.equal(await iris.getByRole("button", { name: "Upload" }).count(), 0);
  await iris.goto(`${server.url}/i/demo/landscapes/dawn.jpg?info=1`);
  await iris.locator("img[data-shown]").waitFor();
  await settled(iris);
  for (const name of ["Favorite", "Move to trash"])
    assert.equal(await iris.getByRole("button", { name }).count(), 0, name);
  assert.deepEqual(await barriers(iris), []);

  // The group may edit at once.
  await access(landscapes);
  await right.selectOption("EDIT");
  await page.waitForFunction(
    () => !document.querySelector("[role=dialog] select:disabled"),
  );
  const now = await menuOf(landscapes);
  assert.match(now, /New folder/);
  assert.match(now, /Upload/);
  // The folder itself belongs to the one above.
  assert.doesNotMatch(now, /Rename|Move|Delete|Access/);
  await iris.getByRole("button", { name: "Upload", exact: true }).waitFor();
  await close();

  // Without the group its right is gone.
  await page.goto(`${server.url}/admin/groups`);
  await page.getByRole("button", { name: "Delete Retouch?" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Retouch deleted").waitFor();
  await page.getByText("No groups yet").waitFor();
  await iris.goto(server.url + landscapes);
  await iris.getByText("This folder does not exist").waitFor();
}

/** An administrator lets a group view one folder, then edit it; others see nothing. */
export const access = { walk: grants };

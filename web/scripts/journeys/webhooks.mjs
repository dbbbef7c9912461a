import assert from "node:assert/strict";
import http from "node:http";
import { json } from "node:stream/consumers";
import { barriers } from "./tab.mjs";

/** Starts a receiver that answers with `status()`, and returns it with the messages that it got. */
async function receive(status) {
  const got = [];
  const server = http.createServer(async (request, response) => {
    const body = await json(request).catch(() => null);
    if (!body) return; // the server has gone while it sent this
    got.push({ id: request.headers["webhook-id"], ...body });
    response.writeHead(status()).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, got, url: `http://127.0.0.1:${server.address().port}/in` };
}

async function sends({ page, server, open }) {
  let status = 500;
  const receiver = await receive(() => status);
  try {
    const dialog = page.getByRole("dialog");
    await page.goto(`${server.url}/admin/webhooks`);
    await page.getByText("No webhooks yet").waitFor();
    assert.deepEqual(await barriers(page), []);

    // A webhook of one type, whose secret is shown once.
    await page.getByLabel("Name").fill("Shop");
    await page.getByLabel("URL").fill(receiver.url);
    await page.getByLabel("All events").uncheck();
    await page.getByLabel("File created").check();
    assert.deepEqual(await barriers(page), []);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page
      .getByRole("heading", { name: "Signing secret of the webhook Shop" })
      .waitFor();
    await page.getByText("It is shown only once").waitFor();
    assert.match(await page.locator("code").first().textContent(), /^whsec_/);
    await page.getByRole("button", { name: "I’ve copied it" }).click();
    await page.getByText("Nothing sent yet").waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), ""); // for another one

    // The receiver refuses a test, which is sent again by hand once it works.
    await page.getByRole("button", { name: "Test: Shop" }).click();
    await page.getByText("The receiver answered 500").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByText("1 failed").waitFor();
    status = 204;
    await page.getByRole("button", { name: "Deliveries to Shop" }).click();
    await dialog.getByText("webhook.test").waitFor();
    await dialog.getByText("Failed · 500").waitFor();
    assert.deepEqual(await barriers(page), []);
    await dialog.getByRole("button", { name: "Retry: webhook.test" }).click();
    await dialog.getByText("Delivered · 204").waitFor();
    assert.deepEqual(
      receiver.got.map(({ type }) => type),
      ["webhook.test", "webhook.test"],
    );
    assert.equal(receiver.got[0].id, receiver.got[1].id);

    // What happens to a file arrives.
    const admin = await server.login();
    await server.ask(
      admin,
      'mutation { createFolder(input: { path: "new" }) { userErrors { message } } }',
    );
    await dialog
      .locator("li", { hasText: "file:new" })
      .getByText("Delivered · 204")
      .waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    // A new secret is shown under its name.
    await page.getByText("All events were delivered").waitFor();
    await page.getByRole("button", { name: "Change Shop" }).click();
    await dialog.getByRole("button", { name: "New secret" }).click();
    await dialog.waitFor({ state: "detached" });
    await page
      .getByRole("heading", { name: "Signing secret of the webhook Shop" })
      .waitFor();
    await page.getByText("signed with the old secret as well").waitFor();
    await page.getByRole("button", { name: "I’ve copied it" }).click();

    // Another tab lists what happens in this one, and loses nothing that is being typed in it.
    const other = await open({ same: true });
    await other.goto(`${server.url}/admin/webhooks`);
    await other.getByText("All events were delivered").waitFor();
    await other.getByLabel("Name").fill("News");

    // It is turned off, and deleted.
    await page.getByRole("button", { name: "Change Shop" }).click();
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Off", { exact: true }).waitFor();
    await other.getByText("Off", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete Shop" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No webhooks yet").waitFor();
    await other.getByText("No webhooks yet").waitFor();
    assert.equal(await other.getByLabel("Name").inputValue(), "News");
  } finally {
    receiver.server.close();
  }
}
/** A webhook is made, tested, repeated, turned off and deleted. */
export const webhooks = {
  server: { args: ["--webhook-networks", "127.0.0.0/8"] },
  walk: sends,
};

import assert from "node:assert/strict";
import net from "node:net";
import { freePort } from "./signin.mjs";
import { barriers, patience, settled } from "./tab.mjs";

/** Starts a mail server that keeps what it accepts; `refuse` is what it says to recipients instead of 250. */
async function startMailServer() {
  const mails = { got: [], refuse: "" };
  const server = net.createServer((socket) => {
    let to = "";
    let data = null;
    let rest = "";
    const say = (line) => socket.write(`${line}\r\n`);
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    socket.on("data", (text) => {
      rest += text;
      for (let end; (end = rest.indexOf("\r\n")) >= 0;) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (data !== null) {
          if (line !== ".") data.push(line.replace(/^\./, ""));
          else {
            mails.got.push({ to, text: plain(data.join("\n")) });
            data = null;
            say("250 queued");
          }
        } else if (/^EHLO/i.test(line)) say("250 mail");
        else if (/^RCPT/i.test(line)) {
          to = /<(.*)>/.exec(line)[1];
          say(mails.refuse || "250 ok");
        } else if (/^DATA/i.test(line)) {
          data = [];
          say("354 go on");
        } else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n");
        else say("250 ok");
      }
    });
    say("220 mail ESMTP");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(mails, { server, port: server.address().port });
}

// The plain text of a message, of which quoted-printable has broken the lines.
const plain = (message) => {
  const bytes = message
    .split("text/html")[0]
    .replace(/=\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) =>
      String.fromCharCode(parseInt(hex, 16)),
    );
  return Buffer.from(bytes, "latin1").toString("utf8");
};

let mails;
/** Starts a mail server; options of a server that sends e-mail through it. */
export async function withMail() {
  mails = await startMailServer();
  const port = await freePort();
  return {
    args: [
      ...["--listen", `127.0.0.1:${port}`],
      ...["--base-url", `http://127.0.0.1:${port}`],
      ...["--smtp", `smtp://127.0.0.1:${mails.port}`],
      ...["--mail-from", "Northlight <photos@example.com>"],
    ],
    end: () => mails.server.close(),
  };
}

/** Waits for a message to an address, and returns its link. */
async function linkTo(address, path) {
  for (const end = Date.now() + patience; ;) {
    const found = mails.got.findLast(({ to }) => to === address);
    const link = found && new RegExp(`http://\\S+${path}\\S*`).exec(found.text);
    if (link) {
      mails.got = mails.got.filter((mail) => mail !== found);
      return { link: link[0], text: found.text };
    }
    if (Date.now() > end)
      throw new Error(
        `no message to ${address} with a link to ${path}: ${JSON.stringify(mails.got)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function sends({ page, server, open }) {
  const dialog = page.getByRole("dialog");

  // A test message, refused and accepted.
  await page.goto(`${server.url}/admin/mail`);
  await page.getByText("No messages.").waitFor();
  assert.deepEqual(await barriers(page), []);
  mails.refuse = "550 5.1.1 there is no such mailbox";
  await page.getByLabel("Send a test message to").fill("ops@example.com");
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByText("no such mailbox").waitFor();
  assert.deepEqual(await barriers(page), []);
  mails.refuse = "";
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByText("has accepted the message").waitFor();
  assert.match((await linkTo("ops@example.com", "/")).text, /can send e-mail/);

  // An invitation goes to the address of a new account.
  await page.goto(`${server.url}/admin/accounts`);
  await page.getByRole("button", { name: "New account" }).click();
  await dialog.getByLabel("Username").fill("ada");
  await dialog.getByLabel("E-mail address").fill("ada@example.com");
  assert.deepEqual(await barriers(page), []);
  await dialog.getByRole("button", { name: "Create and invite" }).click();
  await page.getByText("on its way to ada@example.com").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Escape");
  const invitation = await linkTo("ada@example.com", "/setup");
  const ada = await open();
  await ada.goto(invitation.link);
  await ada.getByLabel("Password").fill("three blind mice ran");
  await ada.getByRole("button", { name: "Log in", exact: true }).click();
  await ada.waitForURL(`${server.url}/`);

  // She changes her address, which is confirmed by a link.
  await ada.goto(`${server.url}/me`);
  await settled(ada); // parts that come later move the button
  const address = ada.getByLabel("E-mail address");
  await address.fill("ada@example.org");
  await ada
    .locator("form", { has: address })
    .getByRole("button", { name: "Save" })
    .click();
  await ada.getByText("sent to ada@example.org").waitFor();
  const confirmation = await linkTo("ada@example.org", "/confirm");
  const other = await open();
  await other.goto(confirmation.link);
  await other.getByRole("button", { name: "Confirm the address" }).waitFor();
  assert.deepEqual(await barriers(other), []);
  assert.equal(new URL(other.url()).hash, "");
  await other.getByRole("button", { name: "Confirm the address" }).click();
  await other.getByText("ada@example.org is now").waitFor();
  const told = await linkTo("ada@example.com", "/me");
  assert.match(told.text, /account ada was changed or removed/);
  await other.goto(confirmation.link); // once more
  await other.getByRole("button", { name: "Confirm the address" }).click();
  await other.getByText("been used or has expired").waitFor();
  assert.deepEqual(await barriers(other), []);

  // She forgets her password. For an address that no account has, the page says the same.
  for (const email of ["nobody@example.org", "ada@example.org"]) {
    await other.goto(`${server.url}/login`);
    await other.getByRole("link", { name: "Forgot password?" }).click();
    await other.getByLabel("E-mail address").fill(email);
    assert.deepEqual(await barriers(other), []);
    await other.getByRole("button", { name: "Send the link" }).click();
    await other.getByText(`If an account has the address ${email}`).waitFor();
  }
  const reset = await linkTo("ada@example.org", "/reset");
  assert.match(reset.text, /account ada\./);
  await other.goto(reset.link);
  await other.getByLabel("New password").fill("four calling birds");
  assert.deepEqual(await barriers(other), []);
  await other.getByRole("button", { name: "Set password and log in" }).click();
  await other.waitForURL(`${server.url}/`);
  await ada.goto(`${server.url}/me/sessions`); // her session has ended
  await ada.waitForURL(/\/login/);
  await ada.goto(reset.link);
  await ada.getByLabel("New password").fill("five golden rings");
  await ada.getByRole("button", { name: "Set password and log in" }).click();
  await ada.getByText("been used or has expired").waitFor();
  assert.deepEqual(await barriers(ada), []);

  const changed = await linkTo("ada@example.org", "/me");
  assert.match(changed.text, /Your password was changed/);

  // A share link goes to two people with a note.
  await page.goto(`${server.url}/f/demo/landscapes`);
  await settled(page);
  await page.getByRole("button", { name: "Actions for this folder" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByLabel("Send to").fill("mum@example.net, dad@example.net");
  await dialog.getByLabel("Note (optional)").fill("From our trip");
  assert.deepEqual(await barriers(page), []);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("2 messages are on their way").waitFor();
  await page.keyboard.press("Escape");
  await linkTo("mum@example.net", "/s/");
  const shared = await linkTo("dad@example.net", "/s/");
  assert.match(shared.text, /> From our trip/);
  await other.goto(shared.link);
  await other.getByRole("heading", { name: "landscapes" }).waitFor();

  // The administration shows what was sent, and for whom there is no account.
  await page.goto(`${server.url}/admin/mail`);
  await page.getByText("nobody@example.org").waitFor();
  await page.getByText("dad@example.net").waitFor();
  assert.deepEqual(mails.got, []);
}
/** E-mail by a real mail server: a test, an invitation, an address, a new password and a share link. */
export const mail = { server: withMail, walk: sends };

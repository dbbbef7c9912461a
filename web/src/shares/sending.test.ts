import { beforeEach, expect, test, vi } from "vitest";
import type { Kept } from "../uploads/store";
import { senderOf } from "./sending";

// The requests to the server, and its responses.
let asked: { method: string; url: string; headers: Record<string, string> }[];
let answer: () => Response;

beforeEach(() => {
  asked = [];
  vi.stubGlobal(
    "fetch",
    async (
      url: string,
      { method, headers }: { method: string; headers: Record<string, string> },
    ) => {
      asked.push({ method, url, headers });
      return answer();
    },
  );
});

const file: Kept = {
  place: "p",
  user: "/s/k",
  tab: "t",
  path: "2026/été.png",
  size: 3,
  type: "image/png",
  modified: 0,
  policy: "RENAME",
  always: false,
  key: "k1",
  id: null,
};

test("a file is announced to the link with its name, folder and key", async () => {
  answer = () =>
    new Response(null, {
      status: 201,
      headers: { Location: "/s/k/uploads/u1" },
    });
  expect(await senderOf("k").announce(file)).toEqual({
    id: "/s/k/uploads/u1",
    url: "/s/k/uploads/u1",
  });
  const [{ method, url, headers }] = asked as [(typeof asked)[0]];
  expect([method, url]).toEqual(["POST", "/s/k/uploads"]);
  const said = headers["Upload-Metadata"]!.split(",").map((pair) => {
    const [name, value] = pair.split(" ");
    return [name, Buffer.from(value!, "base64").toString()];
  });
  expect(Object.fromEntries(said)).toEqual({
    filename: "été.png",
    folder: "2026",
    clientKey: "k1",
    filetype: "image/png",
  });
});

test("a refusal has its code, and a broken connection is retried", async () => {
  answer = () =>
    new Response('{"error": "TOO_LARGE", "message": "full"}', { status: 413 });
  await expect(senderOf("k").announce(file)).rejects.toMatchObject({
    code: "TOO_LARGE",
  });
  answer = () => {
    throw new TypeError("network");
  };
  await expect(senderOf("k").finish("/s/k/uploads/u1")).rejects.toMatchObject({
    code: "OFFLINE",
  });
});

test("the progress is requested from the upload; a missing one has none", async () => {
  answer = () =>
    new Response(null, { status: 200, headers: { "Upload-Offset": "2" } });
  expect(await senderOf("k").received("/s/k/uploads/u1")).toBe(2);
  answer = () => new Response(null, { status: 404 });
  expect(await senderOf("k").received("/s/k/uploads/u1")).toBe(0);
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "HEAD /s/k/uploads/u1",
    "HEAD /s/k/uploads/u1",
  ]);
});

import { beforeEach, expect, test, vi } from "vitest";
import { until } from "../testing/until";
import type { Access, Kept } from "./store";

// A browser whose store contains `left`, and which can read `readable` of it.
let left: Kept[];
let readable: Map<string, Access>;
vi.mock("./store", () => ({
  tab: "t",
  keep: async () => undefined,
  forget: async () => undefined,
  claim: async () => left,
  allow: async () =>
    void readable.forEach((_, path) => readable.set(path, "granted")),
  accessTo: async ({ path }: Kept) => readable.get(path) ?? "none",
  reopen: async ({ path }: Kept) => new File(["a"], path, { lastModified: 1 }),
}));
vi.mock("./upload.svelte", async (original) => {
  const { Upload: Real } = await original<typeof import("./upload.svelte")>();
  class Upload extends Real {
    override run = async () => void (this.state = "done");
    override look = async () => undefined;
  }
  return {
    newKey: () => Math.random().toString(),
    loadTus: async () => ({}),
    Upload,
  };
});
vi.mock("../gallery/folders.svelte", async (original) => ({
  ...(await original<object>()),
  folders: { reload: async () => undefined },
}));

beforeEach(() => {
  vi.resetModules();
  [left, readable] = [[], new Map()];
  const session = JSON.stringify({
    token: "t",
    issuedAt: 0,
    expiresAt: Date.now() + 1e6,
    user: { id: "iris", role: "user" },
  });
  vi.stubGlobal("localStorage", {
    getItem: () => session,
    setItem: () => undefined,
    removeItem: () => undefined,
  });
  vi.stubGlobal("document", { cookie: "" });
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("fetch", async () => ({
    ok: true,
    status: 204, // the status of a logout
    json: async () => ({}),
    headers: new Headers(),
  }));
});

const files = [{ file: new File(["a"], "a.png"), path: "a.png" }];

test("files that are not available yet are uploaded when they are", async () => {
  const { uploads } = await import("./uploads.svelte");
  expect(await uploads.addLater("trip", Promise.resolve(files))).toHaveLength(
    1,
  );
  expect(uploads.list.map(({ path }) => path)).toEqual(["trip/a.png"]);
});

test("files that the application created are marked as such, and sent whatever the library contains", async () => {
  const { uploads } = await import("./uploads.svelte");
  uploads.add("trip", files, { made: true });
  uploads.add("trip", files);
  expect(
    uploads.list.map(({ kept: { made, always } }) => [made, always]),
  ).toEqual([
    [true, true],
    [false, false],
  ]);
});

test("files that become available after the logout are not uploaded", async () => {
  const [{ uploads }, { session }] = await Promise.all([
    import("./uploads.svelte"),
    import("../session/session.svelte"),
  ]);
  let come = (_: typeof files) => {};
  const added = uploads.addLater(
    "trip",
    new Promise<typeof files>((resolve) => (come = resolve)),
  );
  await session.logout();
  come(files);
  expect([await added, uploads.list]).toEqual([null, []]);
});

test("errors after the logout are not reported to another person", async () => {
  const [{ uploads }, { session }] = await Promise.all([
    import("./uploads.svelte"),
    import("../session/session.svelte"),
  ]);
  let fail = (_: Error) => {};
  const added = uploads.addLater(
    "trip",
    new Promise<typeof files>((_, reject) => (fail = reject)),
  );
  await session.logout();
  fail(new Error("of the person before"));
  expect(await added).toBe(null);
});

const kept = (path: string): Kept => ({
  place: path,
  user: "iris",
  tab: "t",
  path,
  size: 1,
  type: "",
  modified: 1,
  policy: "ERROR",
  always: false,
  key: path,
  id: null,
});
const chosen = (path: string, bytes = "a", lastModified = 1) => ({
  file: new File([bytes], path.slice(path.lastIndexOf("/") + 1), {
    lastModified,
  }),
  path,
});
const states = (list: { path: string; state: string }[]) =>
  Object.fromEntries(list.map(({ path, state }) => [path, state]));

test("uploads left by a reload resume if the file can be read, and otherwise are lost until it is chosen", async () => {
  const { uploads } = await import("./uploads.svelte");
  left = [kept("trip/a.png"), kept("trip/b.png"), kept("other/b.png")];
  readable.set("trip/a.png", "granted");
  await uploads.resume("iris");
  await until(() =>
    expect(states(uploads.list)).toEqual({
      "trip/a.png": "done",
      "trip/b.png": "lost",
      "other/b.png": "lost",
    }),
  );
  expect([uploads.unfinished, uploads.askable]).toEqual([false, []]);
  expect(
    uploads.choose([
      chosen("b.png", "bb"),
      chosen("b.png", "a", 2),
      chosen("c.png"),
    ]),
  ).toBe(0);
  expect(uploads.choose([chosen("other/b.png"), chosen("other/b.png")])).toBe(
    2,
  );
  await until(() => expect(uploads.lost).toEqual([]));
});

test("a file that may be read once the person allows it need not be chosen again", async () => {
  const { uploads } = await import("./uploads.svelte");
  left = [
    {
      ...kept("trip/a.png"),
      root: { kind: "file", name: "a.png" } as FileSystemHandle,
    },
  ];
  readable.set("trip/a.png", "prompt");
  await uploads.resume("iris");
  expect(uploads.askable.map(({ path }) => path)).toEqual(["trip/a.png"]);
  await uploads.askAgain();
  await until(() =>
    expect(states(uploads.list)).toEqual({ "trip/a.png": "done" }),
  );
  expect(uploads.askable).toEqual([]);
});

test("lost files that are dropped into their folder again resume; other files are new", async () => {
  const { uploads } = await import("./uploads.svelte");
  left = [kept("trip/a.png")];
  await uploads.resume("iris");
  expect(
    uploads
      .add("trip", [chosen("a.png"), chosen("c.png")])
      .map(({ path }) => path),
  ).toEqual(["trip/c.png"]);
  expect(uploads.list.map(({ path }) => path)).toEqual([
    "trip/a.png",
    "trip/c.png",
  ]);
  expect(uploads.add("elsewhere", [chosen("a.png")])).toHaveLength(1);
});

test("closing the page shows a warning while anything is unfinished", async () => {
  const { uploads } = await import("./uploads.svelte");
  const [one] = uploads.add("", [chosen("a.png")]);
  for (const state of [
    "waiting",
    "sending",
    "paused",
    "conflict",
    "failed",
  ] as const) {
    one!.state = state;
    expect([state, uploads.unfinished]).toEqual([state, true]);
  }
  for (const state of ["done", "same", "lost"] as const) {
    one!.state = state;
    expect([state, uploads.unfinished]).toEqual([state, false]);
  }
});

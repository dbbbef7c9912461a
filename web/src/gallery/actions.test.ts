import { beforeEach, expect, test, vi } from "vitest";
import { copy, move, tag, trash } from "./actions";
import { rate } from "./rating";

type Input = { paths?: string[]; ids?: string[] };
// A server that refuses some paths, and fails at a call.
let refused: Set<string>;
let failing: number;
let calls: { kind: string; items: string[] }[];
let said: { kind: string; text: string; action?: { run: () => unknown } }[];

vi.mock("../messages/index.svelte", () => ({
  t: (key: string, { n, reason = "" }: { n?: number; reason?: string } = {}) =>
    `${key} ${n ?? ""}${reason && ` ${reason}`}`.trim(),
}));
vi.mock("../ui/toasts.svelte", () => ({
  toasts: {
    show: (kind: string, text: string, action?: { run: () => unknown }) =>
      said.push({ kind, text, action }),
  },
}));
vi.mock("./folders.svelte", () => ({
  parentOf: (path: string) => path.slice(0, path.lastIndexOf("/")),
  nameOf: (path: string) => path.slice(path.lastIndexOf("/") + 1),
  joinPath: (folder: string, name: string) => `${folder}/${name}`,
}));
vi.mock("./documents", () => ({
  TrashFiles: "trashFiles",
  RestoreFiles: "restoreFiles",
  MoveFiles: "moveFiles",
  CopyFiles: "copyFiles",
  TagFiles: "tagFiles",
  RateFiles: "rateFiles",
}));
vi.mock("../api/request", () => {
  class ApiError extends Error {}
  return {
    ApiError,
    refuse: () => undefined,
    request: async (kind: string, { input }: { input: Input }) => {
      const items = input.paths ?? input.ids!;
      calls.push({ kind, items });
      if (calls.length === failing) throw new ApiError("no answer");
      const results = items.map((item) => ({
        item,
        ok: !refused.has(item),
        error: refused.has(item) ? { code: "LOCKED", message: "locked" } : null,
        trashed: refused.has(item) ? null : { id: `id ${item}` },
        file: { path: `to/${item.slice(item.lastIndexOf("/") + 1)}` },
      }));
      return { [kind]: { results, userErrors: [] } };
    },
  };
});

const paths = (n: number) => Array.from({ length: n }, (_, i) => `a/p${i}`);
beforeEach(() => {
  [refused, failing, calls, said] = [new Set(), 0, [], []];
});

test("a second batch that fails keeps the undo of the first", async () => {
  failing = 2;
  const gone = await trash(paths(2500), () => undefined);
  expect([
    gone.size,
    calls.length,
    said.map(({ kind, text }) => `${kind}: ${text}`),
  ]).toEqual([1000, 2, ["error: no answer", "done: gallery.trashed 1000"]]);
  failing = 0;
  await said[1]!.action!.run();
  expect(calls.slice(2).map(({ kind, items }) => [kind, items.length])).toEqual(
    [["restoreFiles", 1000]],
  );
});

test("so does a move, whose undo brings all back that has moved", async () => {
  failing = 2;
  const moved = await move(paths(1500), "to", () => undefined);
  expect(moved.size).toBe(1000);
  failing = 0;
  await said.at(-1)!.action!.run();
  expect(calls.at(-1)).toMatchObject({
    kind: "moveFiles",
    items: expect.arrayContaining(["to/p0", "to/p999"]),
  });
});

test("what cannot be done at all is thrown, and no success is told", async () => {
  failing = 1;
  await expect(trash(paths(3), () => undefined)).rejects.toThrow("no answer");
  expect(said).toEqual([]);
});

test.each([
  ["tags", () => tag(paths(3), ["x"], []), "gallery.tagged 1"],
  [
    "ratings",
    () =>
      rate(
        paths(3),
        { rating: 5 },
        () => undefined,
        () => undefined,
      ),
    "rate.done 1",
  ],
  ["copies", () => copy(paths(3), "to"), "gallery.copied 1"],
])("%s count what was done, beside what failed", async (_, run, done) => {
  refused = new Set(["a/p0", "a/p1"]);
  await run();
  expect(said.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    "error: gallery.someFailed 2 locked",
    `done: ${done}`,
  ]);
  said = [];
  refused = new Set(paths(3));
  await run();
  expect(said.map(({ kind }) => kind)).toEqual(["error"]);
});

test("the undo of ratings brings back what each had", async () => {
  const undone = vi.fn();
  const before = (path: string) => ({
    rating: path === "a/p1" ? 4 : 0,
    favorite: false,
  });
  await rate(paths(3), { rating: 5 }, before, undone);
  await said[0]!.action!.run();
  expect(calls.map(({ items }) => items)).toEqual([
    ["a/p0", "a/p1", "a/p2"],
    ["a/p0", "a/p2"],
    ["a/p1"],
  ]);
  expect(undone).toHaveBeenCalledOnce();
});

test("ratings of files that are not known have no undo", async () => {
  const before = (path: string) =>
    path === "a/p0" ? { rating: 0, favorite: false } : undefined;
  await rate(paths(2), { rating: 5 }, before, () => undefined);
  expect(said).toMatchObject([{ text: "rate.done 2", action: undefined }]);
});

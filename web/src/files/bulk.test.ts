import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toasts } from "../ui/toasts.svelte";
import { batchSize } from "./bulk";
import { discard, purge, rate, relocate, restore, tag } from "./changes";

type Input = {
  paths?: string[];
  ids?: string[];
  folder?: string;
  add?: string[];
  remove?: string[];
  rating?: number;
  favorite?: boolean;
};
type Before = { tags: string[]; rating: number; favorite: boolean };
type Answer = { kind: string; input: Input; items: string[] };
// A server that refuses some paths, and does something of its own at some calls.
let refused: Record<string, string>;
let before: (path: string) => Before;
let at: Record<number, () => unknown>;
let calls: Answer[];
let now: { turn: number };

vi.mock("../messages/index.svelte", () => ({
  t: (key: string, values: Record<string, unknown> = {}) =>
    [key, ...Object.values(values)].join(" "),
}));
vi.mock("../messages/format", () => ({ formatNumber: String }));
vi.mock("../session/session.svelte", () => ({
  session: {
    get turn() {
      return now.turn;
    },
  },
}));
vi.mock("../router/router.svelte", () => ({
  here: { path: "/" },
  navigate: () => undefined,
}));
vi.mock("../gallery/folders.svelte", () => ({
  folders: { reload: () => Promise.resolve() },
  movable: (paths: string[]) => paths,
  parentOf: (path: string) => path.slice(0, path.lastIndexOf("/")),
  nameOf: (path: string) => path.slice(path.lastIndexOf("/") + 1),
  joinPath: (folder: string, name: string) => `${folder}/${name}`,
}));
vi.mock("./documents", () => ({
  TrashFiles: "trashFiles",
  RestoreFiles: "restoreFiles",
  PurgeFiles: "purgeFiles",
  MoveFiles: "moveFiles",
  CopyFiles: "copyFiles",
  TagFiles: "tagFiles",
  RateFiles: "rateFiles",
}));
vi.mock("../api/request", () => {
  class ApiError extends Error {
    constructor(
      readonly code: string,
      message: string,
    ) {
      super(message);
    }
  }
  return {
    ApiError,
    refuse: () => undefined,
    request: async (kind: string, { input }: { input: Input }) => {
      const items = input.paths ?? input.ids!;
      calls.push({ kind, input, items });
      await at[calls.length]?.();
      const results = items.map((item) => {
        const code = refused[item];
        const name = item.slice(item.lastIndexOf("/") + 1);
        return code
          ? { item, ok: false, error: { code, message: code } }
          : {
              item,
              ok: true,
              trashed: { id: `id ${item}`, isFolder: false },
              file: { path: `${input.folder ?? "to"}/${name}` },
              before: before(item),
            };
      });
      return { [kind]: { results, userErrors: [] } };
    },
  };
});
const { ApiError } = await import("../api/request");

const fails = (code: string) => () => {
  throw new ApiError(code, `it is ${code}`);
};
const paths = (n: number) => Array.from({ length: n }, (_, i) => `a/p${i}`);
const said = () =>
  toasts.list
    .filter(({ kind }) => kind !== "busy")
    .map(({ kind, text }) => `${kind}: ${text}`);
const asked = (from = 0) =>
  calls.slice(from).map(({ kind, items }) => [kind, items.length]);

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0);
  vi.stubGlobal("addEventListener", () => undefined);
  [refused, at, calls, now] = [{}, {}, [], { turn: 0 }];
  before = () => ({ tags: [], rating: 0, favorite: false });
});
afterEach(() => {
  toasts.clear();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("a batch that fails in the middle does not stop those after it, and one undo is for all the others", async () => {
  at[2] = fails("UNAVAILABLE");
  const gone = vi.fn();
  const undone = vi.fn();
  await discard(paths(2.5 * batchSize), { gone, undone });
  const done = 1.5 * batchSize;
  expect(said()).toEqual([
    `error: bulk.failed ${batchSize} it is UNAVAILABLE`,
    `done: bulk.trashed ${done}`,
  ]);
  expect(gone.mock.calls[0]![0]).toHaveLength(done);
  await toasts.undo();
  expect(asked(3)).toEqual([
    ["restoreFiles", batchSize],
    ["restoreFiles", batchSize / 2],
  ]);
  expect(calls[3]!.items[0]).toBe("id a/p0");
  expect(undone).toHaveBeenCalledOnce();
});

test("what cannot be done at all is said, and no success and no undo", async () => {
  at[1] = fails("UNAVAILABLE");
  const gone = vi.fn();
  await discard(paths(3), { gone });
  expect(said()).toEqual(["error: bulk.failed 3 it is UNAVAILABLE"]);
  expect(gone).not.toHaveBeenCalled();
  await toasts.undo();
  expect(said().at(-1)).toBe("note: ui.nothingToUndo");
  expect(calls).toHaveLength(1);
});

test("the undo of a move brings each thing back to its own folder", async () => {
  await relocate(["a/one", "b/two", "a/three"], "to", false, {});
  await toasts.undo();
  expect(
    calls.slice(1).map(({ input }) => [input.folder, input.paths]),
  ).toEqual([
    ["a", ["to/one", "to/three"]],
    ["b", ["to/two"]],
  ]);
});

test("the undo of a copy moves the copies to the trash, that of a restoration what was restored", async () => {
  await relocate(["a/one"], "to", true, {});
  await toasts.undo();
  await restore([{ id: "7", path: "a/x" }], () => undefined);
  await toasts.undo();
  expect(calls.map(({ kind, items }) => [kind, ...items])).toEqual([
    ["copyFiles", "a/one"],
    ["trashFiles", "to/one"],
    ["restoreFiles", "7"],
    ["trashFiles", "to/7"],
  ]);
});

test.each([
  ["tags", () => tag(paths(3), ["x"], [], {}), "bulk.tagged 1"],
  ["ratings", () => rate(paths(3), { rating: 5 }, {}), "rate.done 1"],
  ["copies", () => relocate(paths(3), "to", true, {}), "bulk.copied 1 to"],
  ["items of the trash", () => purge(paths(3)), "trash.purged"],
])("%s count what was done, beside what failed", async (_, run, done) => {
  refused = { "a/p0": "LOCKED", "a/p1": "LOCKED" };
  await run();
  expect(said()).toEqual(["error: bulk.failed 2 LOCKED", `done: ${done}`]);
  toasts.clear();
  refused["a/p2"] = "CONFLICT";
  await run();
  expect(said()).toEqual(["error: bulk.failed 3 LOCKED"]);
});

test("the one thing that failed is named", async () => {
  refused = { "a/p1": "LOCKED" };
  await tag(paths(3), ["x"], [], {});
  expect(said()[0]).toBe("error: bulk.oneFailed a/p1 LOCKED");
});

test("the undo of ratings gives back what each file had, as the server knows it", async () => {
  before = (path) => ({
    tags: [],
    rating: { "a/p1": 4, "a/p3": 5 }[path] ?? 0,
    favorite: path === "a/p2",
  });
  const undone = vi.fn();
  await rate(paths(4), { rating: 5 }, { undone });
  await toasts.undo();
  expect(calls.slice(1).map(({ input }) => input)).toEqual([
    { paths: ["a/p0", "a/p2"], rating: 0 },
    { paths: ["a/p1"], rating: 4 },
  ]);
  expect(undone).toHaveBeenCalledOnce();
  calls = [];
  await rate(paths(3), { favorite: true }, {});
  await toasts.undo();
  expect(calls[1]!.input).toEqual({ paths: ["a/p0", "a/p1"], favorite: false });
  expect(calls).toHaveLength(2);
});

test("the undo of tags takes away and gives back only what has changed", async () => {
  const had: Record<string, string[]> = {
    "a/p0": ["Old", "other"],
    "a/p1": ["SEA"],
  };
  before = (path) => ({ tags: had[path] ?? [], rating: 0, favorite: false });
  await tag(paths(3), ["sea"], ["old"], {});
  await toasts.undo();
  expect(calls.slice(1).map(({ input }) => input)).toEqual([
    { paths: ["a/p0"], add: ["Old"], remove: ["sea"] },
    { paths: ["a/p2"], add: [], remove: ["sea"] },
  ]);
});

test("a batch whose answer is lost is asked for again; what is gone by then counts as neither done nor failed", async () => {
  at[1] = () => {
    refused = { "a/p0": "NOT_FOUND", "a/p1": "LOCKED" };
    fails("OFFLINE")();
  };
  const moving = relocate(paths(3), "to", false, {});
  await vi.advanceTimersByTimeAsync(1000);
  await moving;
  expect(asked()).toEqual([
    ["moveFiles", 3],
    ["moveFiles", 3],
  ]);
  expect(said()).toEqual([
    "error: bulk.oneFailed a/p1 LOCKED",
    "error: bulk.unsure 1",
    "done: bulk.moved 1 to",
  ]);
});

test("without any answer the work ends, and no success is told", async () => {
  for (let n = 1; n < 9; n++) at[n] = fails("OFFLINE");
  const moving = relocate(paths(batchSize + 7), "to", false, {});
  await vi.advanceTimersByTimeAsync(15_000);
  await moving;
  expect(asked()).toEqual(Array(5).fill(["moveFiles", batchSize]));
  expect(said()).toEqual([
    `error: bulk.unsure ${batchSize}`,
    "note: bulk.left 7",
  ]);
});

test("a copy whose answer is lost is not asked for again: there would be two", async () => {
  at[1] = fails("OFFLINE");
  await relocate(paths(3), "to", true, {});
  expect(calls).toHaveLength(1);
  expect(said()).toEqual(["error: bulk.unsure 3"]);
});

test("long work says how far it is, and can be stopped; the undo is for what was done", async () => {
  at[1] = at[2] = () => new Promise((go) => setTimeout(go, 1000));
  const work = discard(paths(4300), {});
  await vi.advanceTimersByTimeAsync(1500);
  const [busy] = toasts.list;
  expect(busy).toMatchObject({
    kind: "busy",
    text: `bulk.trashing ${batchSize} 4300`,
  });
  await toasts.act(busy!);
  await vi.advanceTimersByTimeAsync(1000);
  await work;
  expect(said()).toEqual([
    `note: bulk.stopped ${4300 - 2 * batchSize}`,
    `done: bulk.trashed ${2 * batchSize}`,
  ]);
  await toasts.undo();
  expect(asked(2)).toEqual([
    ["restoreFiles", batchSize],
    ["restoreFiles", batchSize],
  ]);
});

test("nothing is told to somebody else who is here by then", async () => {
  at[1] = () => now.turn++;
  await discard(paths(3), {});
  expect(toasts.list).toEqual([]);
});

test("the last undo stays when its toast has gone, until the next change", async () => {
  await discard(paths(1), {});
  await vi.advanceTimersByTimeAsync(60_000);
  toasts.show("told", "copied");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(toasts.list).toEqual([]);
  await toasts.undo();
  expect(calls.at(-1)!.kind).toBe("restoreFiles");

  await discard(paths(1), {});
  toasts.show("done", "a change without an undo");
  calls = [];
  await toasts.undo();
  expect(said().at(-1)).toBe("note: ui.nothingToUndo");
  expect(calls).toEqual([]);
});

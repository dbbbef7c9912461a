import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toasts } from "../ui/toasts.svelte";
import { batchSize } from "./bulk";
import {
  discard,
  purge,
  rate,
  relocate,
  rename,
  renameAll,
  restore,
  tag,
} from "./changes";

type Input = {
  paths?: string[];
  ids?: string[];
  folder?: string;
  name?: string;
  add?: string[];
  remove?: string[];
  rating?: number;
  favorite?: boolean;
};
type Before = { tags: string[]; rating: number; favorite: boolean };
type Answer = { kind: string; input: Input; items: string[] };
// A server that refuses some paths, and has side effects on some calls.
let refused: Record<string, string>;
let before: (path: string) => Before;
let at: Record<number, () => unknown>;
let calls: Answer[];
// Results of queries: existing files and folders, pages of the trash, and the number of queries without an
// answer.
let there: { files: string[]; folders: string[] };
let idOf: (path: string) => string;
let trash: string[][];
let silent: number;
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
  NotesOf: "notesOf",
  FilesThere: "filesThere",
  FolderThere: "folderThere",
  LatelyTrashed: "latelyTrashed",
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
  const read = (
    kind: string,
    { paths = [], path = "", after }: Record<string, unknown>,
  ) => {
    if (silent-- > 0) throw new ApiError("OFFLINE", "it is OFFLINE");
    if (kind === "notesOf")
      return {
        filesByPath: (paths as string[]).map((path) => ({
          path,
          ...before(path),
        })),
      };
    if (kind === "filesThere")
      return {
        filesByPath: (paths as string[])
          .filter((path) => there.files.includes(path))
          .map((path) => ({ path, id: idOf(path) })),
      };
    if (kind === "latelyTrashed") {
      const n = Number(after ?? 0);
      return {
        trashedFiles: {
          nodes: trash[n]!.map((path) => ({ id: `id ${path}`, path })),
          pageInfo: {
            hasNextPage: n + 1 < trash.length,
            endCursor: `${n + 1}`,
          },
        },
      };
    }
    if (there.folders.includes(path as string)) return { folder: { path } };
    throw new ApiError("NOT_FOUND", "it is NOT_FOUND");
  };
  return {
    ApiError,
    request: async (
      kind: string,
      { input, ...variables }: { input?: Input } & Record<string, unknown>,
    ) => {
      if (!input) return read(kind, variables);
      const items = input.paths ?? input.ids!;
      calls.push({ kind, input, items });
      await at[calls.length]?.();
      const results = items.map((item) => {
        const code = refused[item];
        const name = input.name ?? item.slice(item.lastIndexOf("/") + 1);
        return code
          ? { item, ok: false, error: { code, message: code } }
          : {
              item,
              ok: true,
              trashed: { id: `id ${item}`, isFolder: false },
              file: { path: `${input.folder ?? "to"}/${name}` },
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
  [there, trash, silent] = [{ files: [], folders: [] }, [[]], 0];
  before = () => ({ tags: [], rating: 0, favorite: false });
  idOf = (path) => path.slice(path.lastIndexOf("/") + 1);
});
afterEach(() => {
  toasts.clear();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("a failed batch does not stop later ones, and one undo covers all the others", async () => {
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

test("a complete failure is reported, without a success message or an undo", async () => {
  at[1] = fails("UNAVAILABLE");
  const gone = vi.fn();
  await discard(paths(3), { gone });
  expect(said()).toEqual(["error: bulk.failed 3 it is UNAVAILABLE"]);
  expect(gone).not.toHaveBeenCalled();
  await toasts.undo();
  expect(said().at(-1)).toBe("note: ui.nothingToUndo");
  expect(calls).toHaveLength(1);
});

test("the undo of a move returns each item to its own folder", async () => {
  await relocate(["a/one", "b/two", "a/three"], "to", false, {});
  await toasts.undo();
  expect(
    calls.slice(1).map(({ input }) => [input.folder, input.paths]),
  ).toEqual([
    ["a", ["to/one", "to/three"]],
    ["b", ["to/two"]],
  ]);
});

test("the undo of a copy moves the copies to the trash; that of a restoration, the restored items", async () => {
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

test("a single failed item is named", async () => {
  refused = { "a/p1": "LOCKED" };
  await tag(paths(3), ["x"], [], {});
  expect(said()[0]).toBe("error: bulk.oneFailed a/p1 LOCKED");
});

test("the undo of ratings restores each file's rating as known to the server", async () => {
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

test("the undo of tags adds and removes only what has changed", async () => {
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

test("a batch whose answer is lost is requested again; missing items count as neither done nor failed", async () => {
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

/** The first call takes effect, but its answer is lost. */
const lost = (changed: () => void) => {
  at[1] = () => {
    changed();
    fails("OFFLINE")();
  };
};
async function through(work: Promise<unknown>) {
  await vi.advanceTimersByTimeAsync(5000);
  await work;
}

test("the undo of tags and ratings whose answer was lost restores the previous state", async () => {
  before = () => ({ tags: ["Old"], rating: 2, favorite: false });
  lost(() => (before = () => ({ tags: ["sea"], rating: 2, favorite: false })));
  await through(tag(paths(1), ["sea"], ["old"], {}));
  await toasts.undo();
  expect(calls[2]!.input).toEqual({
    paths: ["a/p0"],
    add: ["Old"],
    remove: ["sea"],
  });

  calls = [];
  before = () => ({ tags: [], rating: 2, favorite: false });
  lost(() => (before = () => ({ tags: [], rating: 5, favorite: false })));
  await through(rate(paths(1), { rating: 5 }, {}));
  await toasts.undo();
  expect(calls[2]!.input).toEqual({ paths: ["a/p0"], rating: 2 });
});

test("the previous state is requested until there is an answer, and nothing is changed before that", async () => {
  before = () => ({ tags: [], rating: 3, favorite: false });
  silent = 2;
  await through(rate(paths(1), { rating: 5 }, {}));
  expect(asked()).toEqual([["rateFiles", 1]]);
  await toasts.undo();
  expect(calls[1]!.input).toEqual({ paths: ["a/p0"], rating: 3 });

  [calls, silent] = [[], Infinity];
  toasts.clear();
  const rating = rate(paths(3), { rating: 5 }, {});
  await vi.advanceTimersByTimeAsync(15_000);
  await rating;
  expect(calls).toEqual([]);
  expect(said()).toEqual(["note: bulk.left 3"]);
});

test("the undo of a deletion whose answer was lost restores what is found in the trash", async () => {
  lost(() => (refused = { "a/p0": "NOT_FOUND", "a/p1": "NOT_FOUND" }));
  trash = [["b/other", "a/p1"], ["a/p0"], ["a/p0"]];
  await through(discard(paths(3), {}));
  expect(said()).toEqual(["done: bulk.trashed 3"]);
  await toasts.undo();
  expect(calls[2]!.items).toEqual(["id a/p2", "id a/p1", "id a/p0"]);

  // Missing items may have been deleted by somebody else: neither these nor older ones are restored.
  [calls, trash] = [[], [["b/other"], ["a/p0"]]];
  toasts.clear();
  toasts.show("done", "older", { label: "", run: () => {}, undoes: true });
  lost(() => (refused = { "a/p0": "NOT_FOUND" }));
  await through(discard(paths(1), {}));
  expect(said()).toEqual(["done: older", "error: bulk.unsure 1"]);
  await toasts.undo();
  expect(said().at(-1)).toBe("note: ui.nothingToUndo");
});

test("the undo of a move whose answer was lost returns files and folders from where they are", async () => {
  const gone = ["a/one", "b/two", "a/lost"];
  there.files = ["a/one", "a/lost"];
  lost(() => {
    refused = Object.fromEntries(gone.map((p) => [p, "NOT_FOUND"]));
    there = { files: ["to/one"], folders: ["to/two"] };
  });
  await through(relocate([...gone, "a/late"], "to", false, {}));
  expect(said()).toEqual([
    "error: bulk.unsure 1",
    "done: bulk.movedItems 3 to",
  ]);
  await toasts.undo();
  expect(
    calls.slice(2).map(({ input }) => [input.folder, input.paths]),
  ).toEqual([
    ["a", ["to/late", "to/one"]],
    ["b", ["to/two"]],
  ]);
});

test("a file of somebody else at the place of a move whose answer was lost stays there", async () => {
  there.files = ["a/one", "to/one"];
  idOf = (path) => path;
  lost(() => (refused = { "a/one": "NOT_FOUND" }));
  await through(relocate(["a/one"], "to", false, {}));
  expect(said()).toEqual(["error: bulk.unsure 1"]);
  await toasts.undo();
  expect(said().at(-1)).toBe("note: ui.nothingToUndo");

  calls = [];
  there.files = ["a/one", "a/two"];
  lost(() => (refused = { "a/one": "NOT_FOUND" }));
  await expect(rename("a/one", "two", () => {})).rejects.toThrow("NOT_FOUND");
});

test("a rename whose answer was lost is found, and can be undone", async () => {
  lost(() => (refused = { "a/one": "NOT_FOUND" }));
  there.files = ["a/two"]; // already before: the dialog is confirmed again
  const undone = vi.fn();
  expect(await rename("a/one", "two", undone)).toBe("a/two");
  await toasts.undo();
  expect(calls.at(-1)!.input).toMatchObject({ paths: ["a/two"], name: "one" });
  expect(undone).toHaveBeenCalledWith("a/two");

  there.files = [];
  await expect(rename("a/one", "two", undone)).rejects.toThrow("NOT_FOUND");
});

test("a refusal says nothing about an earlier call whose answer was lost", async () => {
  lost(() => undefined);
  at[2] = fails("UNAVAILABLE");
  await through(discard(paths(3), {}));
  expect(said()).toEqual(["error: bulk.unsure 3"]);
});

test("an item to be deleted permanently that is missing counts as deleted", async () => {
  lost(() => (refused = { "a/p0": "NOT_FOUND" }));
  await through(purge(paths(1)));
  expect(said()).toEqual(["done: trash.purged"]);
});

test("without any answer the change ends, and reports no success", async () => {
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

test("many files are renamed one after the other, and get their names back in the opposite order", async () => {
  refused = { "from/b.png": "taken" };
  await renameAll(
    new Map([
      ["from/a.png", "n-1.png"],
      ["from/b.png", "n-2.png"],
      ["from/c.png", "n-3.png"],
    ]),
    {},
  );
  expect(said()).toEqual([
    "error: bulk.oneFailed from/b.png taken",
    "done: bulk.renamedMany 2",
  ]);
  await toasts.undo();
  expect(calls.map(({ input }) => [input.paths, input.name])).toEqual([
    [["from/a.png"], "n-1.png"],
    [["from/b.png"], "n-2.png"],
    [["from/c.png"], "n-3.png"],
    [["from/n-3.png"], "c.png"],
    [["from/n-1.png"], "a.png"],
  ]);
});

test("a copy whose answer is lost is not repeated: there would be two copies", async () => {
  at[1] = fails("OFFLINE");
  await relocate(paths(3), "to", true, {});
  expect(calls).toHaveLength(1);
  expect(said()).toEqual(["error: bulk.unsure 3"]);
});

test("a long change shows progress and can be stopped; the undo covers what was done", async () => {
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

test("a different account that has signed in meanwhile sees no message", async () => {
  at[1] = () => now.turn++;
  await discard(paths(3), {});
  expect(toasts.list).toEqual([]);
});

test("the last undo stays available after its toast has gone, until the next change", async () => {
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

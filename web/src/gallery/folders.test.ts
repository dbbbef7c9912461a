import { beforeEach, expect, test, vi } from "vitest";
import type { Change } from "../live/live";
import { FolderStore, nameOf, parentOf, trail } from "./folders.svelte";

// A library of folders: the names of the subfolders by path.
let library: Record<string, string[]> = {};
const asked: string[] = [];
vi.mock("../api/request", () => ({
  request: async (_: unknown, { folder }: { folder: string }) => {
    asked.push(folder);
    return {
      folders: {
        nodes: (library[folder] ?? []).map((path) => ({
          id: path,
          path,
          name: nameOf(path),
          hasFolders: (library[path] ?? []).length > 0,
        })),
        pageInfo: { hasNextPage: false },
      },
    };
  },
}));
const change = (
  kind: Change["kind"],
  path: string,
  isFile = false,
): Change => ({ kind, path, isFile });
const store = async () => {
  const all = new FolderStore();
  await all.load("");
  return all;
};
const branches = (all: FolderStore) =>
  all
    .children("")!
    .filter((folder) => all.branches(folder))
    .map(({ path }) => path);

beforeEach(() => {
  library = { "": ["a", "b", "c"], a: ["a/x"], c: ["c/y", "c/z"] };
  asked.length = 0;
});

test("one request tells which folders can be expanded", async () => {
  const all = await store();
  expect(branches(all)).toEqual(["a", "c"]);
  expect(asked).toEqual([""]);
});
test("a folder's loaded content takes precedence over what the index said", async () => {
  const all = await store();
  library.b = ["b/new"];
  library.a = [];
  await Promise.all([all.load("a"), all.load("b")]);
  expect(branches(all)).toEqual(["b", "c"]);
});
test.each([
  {
    name: "the first folder in a closed one",
    changes: [change("CHANGED", "b/new")],
    asks: [""],
  },
  {
    name: "another one in it",
    changes: [change("CHANGED", "c/more")],
    asks: [],
  },
  {
    name: "one that goes, perhaps the last",
    changes: [change("REMOVED", "a/x")],
    asks: [""],
  },
  {
    name: "what goes where there are none",
    changes: [change("REMOVED", "b/picture.jpg")],
    asks: [],
  },
  {
    name: "pictures",
    changes: [change("CHANGED", "b/picture.jpg", true)],
    asks: [],
  },
  {
    name: "deep in a folder that was never opened",
    changes: [change("CHANGED", "c/y/deep/er")],
    asks: [],
  },
  {
    name: "many at once",
    changes: [
      change("CHANGED", "b/1"),
      change("CHANGED", "b/2"),
      change("REMOVED", "a/x"),
      change("CHANGED", "new"),
    ],
    asks: [""],
  },
])("$name", async ({ changes, asks }) => {
  const all = await store();
  asked.length = 0;
  all.follow(changes);
  expect(asked).toEqual(asks);
});
test("parts of paths", () => {
  expect([
    parentOf("a/b/c"),
    parentOf("a"),
    nameOf("a/b"),
    trail("a/b"),
  ]).toEqual(["a/b", "", "b", ["a", "a/b"]]);
});

test("a change during a request causes another request", async () => {
  const all = await store();
  asked.length = 0;
  const [first, second, third] = [
    all.reload("a"),
    all.reload("a"),
    all.reload("a"),
  ];
  await Promise.all([first, second, third]);
  expect(asked).toEqual(["a", "a"]);
  asked.length = 0;
  await Promise.all([all.load("c"), all.load("c")]);
  expect(asked).toEqual(["c"]);
});

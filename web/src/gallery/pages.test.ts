import { beforeEach, expect, test, vi } from "vitest";
import { until } from "../testing/until";
import { dayOf } from "./days";
import { FilePages } from "./pages.svelte";

type Page = {
  first?: number;
  after: string | null;
  skip: number;
  count: boolean;
};

// The folder on the server, and the unanswered requests. An answer contains the folder as it was at the time of
// the request.
let folder: string[] = [];
let waiting: (() => void)[] = [];
let held = false;
let asked = 0;
let network = true;
let gone = false; // whether the folder is gone
let counts = true; // whether the server gives exact counts of very many files

vi.mock("../api/request", () => ({
  ApiError: class extends Error {
    constructor(readonly code: string) {
      super(code);
    }
  },
  request: async (_: unknown, { first, after, skip, count }: Page) => {
    asked++;
    if (!network)
      throw Object.assign(new Error("no answer"), { code: "OFFLINE" });
    if (gone)
      throw Object.assign(new Error("no such folder"), { code: "NOT_FOUND" });
    if (first === undefined) {
      if (!counts) throw new Error("too slow");
      return { files: { totalCount: folder.length } };
    }
    const start = after === null ? skip : folder.indexOf(after) + 1;
    const nodes = folder.slice(start, start + first).map((path) => ({
      path,
      width: 3,
      height: 2,
      analysisState: "DONE",
      modifiedAt: `2026-03-${1 + (Number(path.slice(1)) % 28)}T12:00`,
    }));
    const answer = {
      files: {
        totalCount: !count
          ? undefined
          : folder.length > 1000
            ? null
            : folder.length,
        nodes,
        pageInfo: {
          hasNextPage: start + first < folder.length,
          endCursor: nodes.at(-1)?.path ?? null,
        },
      },
    };
    if (held) await new Promise<void>((resolve) => waiting.push(resolve));
    return answer;
  },
}));

const wanted = {
  folder: "",
  recursive: false,
  filter: {},
  search: "",
  sort: "NAME",
  order: "ASC",
} as const;
const names = (n: number) =>
  Array.from({ length: n }, (_, i) => `p${String(i).padStart(4, "0")}`);
const list = async () => {
  const files = new FilePages(wanted);
  await files.ready;
  return files;
};
const shown = (files: FilePages) =>
  Array.from({ length: files.count }, (_, i) => files.at(i)?.path);
const trash = (...paths: string[]) =>
  (folder = folder.filter((path) => !paths.includes(path)));
const answer = () => {
  held = false;
  for (const go of waiting.splice(0)) go();
};

beforeEach(() => {
  folder = names(3);
  waiting = [];
  held = false;
  asked = 0;
  counts = true;
  network = true;
  gone = false;
  vi.stubGlobal("addEventListener", online.addEventListener.bind(online));
});
const online = new EventTarget();
const back = () => {
  network = true;
  online.dispatchEvent(new Event("online"));
};

test("duplicate news removes a file once", async () => {
  const files = await list();
  trash("p0001");
  expect(files.remove(new Set(["p0001"]))).toBe(true);
  expect(files.remove(new Set(["p0001"]))).toBe(true);
  expect(shown(files)).toEqual(["p0000", "p0002"]);
});

test("the days of a list sorted by time stay with their files", async () => {
  const files = new FilePages({ ...wanted, sort: "MODIFIED" });
  await files.ready;
  const days = ["1", "2", "3"].map((date) => dayOf(`2026-03-${date}T12:00`));
  expect([...files.days!]).toEqual(days);
  files.remove(new Set(["p0001"]));
  expect([...files.days!]).toEqual([days[0], days[2]]);
  expect((await list()).days).toBeNull();
});

test("an unknown path is reported once", async () => {
  const files = await list();
  expect(files.remove(new Set(["p0000", "elsewhere"]))).toBe(false);
  expect(shown(files)).toEqual(["p0001", "p0002"]);
  expect(files.remove(new Set(["elsewhere"]))).toBe(true);
});

test("a file that was removed, came back and was removed by others is gone", async () => {
  const files = await list();
  files.remove(new Set(["p0001"]));
  const again = (await files.renewed(3))!;
  expect(shown(again)).toEqual(names(3));
  expect(again.remove(new Set(["p0001"]))).toBe(true);
  expect(shown(again)).toEqual(["p0000", "p0002"]);
});

test("a list that learns that a file is back can remove it again", async () => {
  const files = await list();
  files.remove(new Set(["p0002"]));
  folder = ["p0002", ...names(2)];
  files.touch("p0000");
  await until(() => expect(shown(files)).toContain("p0002"));
  expect(files.remove(new Set(["p0002"]))).toBe(true);
  expect(shown(files)).not.toContain("p0002");
});

test("an answer from before a removal is corrected by it", async () => {
  const files = await list();
  held = true;
  const coming = files.renewed(3);
  trash("p0001");
  files.remove(new Set(["p0001"]));
  answer();
  const next = (await coming)!;
  expect(shown(next)).toEqual(names(3)); // the list makes another request, and gets the news from the stream
  expect(next.remove(new Set(["p0001"]))).toBe(true);
  expect(shown(next)).toEqual(["p0000", "p0002"]);
});

test("a page from before a removal is loaded again", async () => {
  folder = names(250);
  const files = await list();
  held = true;
  const coming = files.need(100, 200);
  await until(() => expect(waiting).toHaveLength(1));
  trash("p0007");
  files.remove(new Set(["p0007"]));
  answer();
  await coming;
  expect(files.at(98)?.path).toBe("p0099");
  expect(files.at(100)?.path).toBe("p0101");
  expect(asked).toBe(3);
});

test.each([
  ["a file that is here", "p0007"],
  ["a file that is not", "p0240"],
])("all paths begin again when %s goes away meanwhile", async (_, path) => {
  folder = names(250);
  const files = await list();
  held = true;
  const coming = files.paths(0, files.count);
  await until(() => expect(waiting).toHaveLength(1));
  trash(path);
  files.remove(new Set([path]));
  answer();
  expect(await coming).toEqual(folder);
});

test("a range is empty when its places change meanwhile", async () => {
  folder = names(250);
  const files = await list();
  held = true;
  const coming = files.paths(50, 150);
  await until(() => expect(waiting).toHaveLength(1));
  trash("p0007");
  files.remove(new Set(["p0007"]));
  answer();
  expect(await coming).toEqual([]);
  expect(await files.paths(50, 150)).toEqual(folder.slice(50, 150));
});

test("very many files are counted once the first page has loaded", async () => {
  folder = names(2345);
  const files = await list();
  expect([files.total, files.count, files.at(99)?.path]).toEqual([
    "1,000+",
    1000,
    "p0099",
  ]);
  await files.counted;
  expect([files.total, files.count]).toEqual([2345, 2345]);
  expect(await files.all()).toEqual(folder);
});

test("a renewed list of very many files keeps its count", async () => {
  folder = names(2345);
  const files = await list();
  const next = (await files.renewed(1500))!;
  expect([next.count, next.at(1499)?.path]).toEqual([2345, "p1499"]);
});

test("a list that cannot be counted grows while somebody scrolls, and is never selected in part", async () => {
  folder = names(1250);
  counts = false;
  const files = await list();
  await files.counted;
  await files.need(900, 1000);
  expect([files.total, files.count]).toEqual(["1,100+", 1100]);
  expect(await files.all()).toEqual([]);
  await files.need(1000, 1100);
  await files.need(1100, 1200);
  await files.need(1200, 1300);
  expect([files.total, files.count, files.at(1249)?.path]).toEqual([
    1250,
    1250,
    "p1249",
  ]);
});

test("loaded files stay while the server does not answer, and the rest loads when it does", async () => {
  folder = names(400);
  const files = await list();
  network = false;
  await files.need(300, 320);
  expect([
    files.failure,
    files.stalled,
    files.at(0)?.path,
    files.at(300),
  ]).toEqual([null, true, "p0000", undefined]);
  await files.need(200, 220); // also waiting
  back();
  await until(() => expect(files.at(210)?.path).toBe("p0210"));
  expect(files.stalled).toBe(false);
});

test("a first page that failed is requested again", async () => {
  network = false;
  const files = await list();
  expect([files.failure?.code, files.loading]).toEqual(["INTERNAL", false]);
  back();
  await until(() => expect(shown(files)).toEqual(folder));
  expect(files.failure).toBe(null);
});

test("a folder that is gone is not requested again", async () => {
  const files = await list();
  gone = true;
  files.touch("p0000");
  await until(() => expect(files.failure).not.toBe(null));
  expect(files.stalled).toBe(false);
});

test("a file that changes while its page is loading is requested once more, however often it changes", async () => {
  const files = await list();
  held = true;
  files.touch("p0000");
  asked = 0;
  for (const path of ["p0000", "p0001", "p0000"]) files.touch(path);
  expect(asked).toBe(0);
  answer();
  await until(() => expect(asked).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(asked).toBe(1);
});

import { beforeEach, expect, test, vi } from "vitest";
import { Month, pathsBetween } from "./months.svelte";
import { placesOf } from "./places";

// The server's pictures of each month, and the unanswered requests.
let library: Record<string, string[]> = {};
let hold: Promise<void> | null = null;

vi.mock("../viewer/handover", () => ({ isHandedOver: () => false }));
vi.mock("../api/request", () => ({
  ApiError: class extends Error {},
  request: async (
    _: unknown,
    {
      filter,
      first,
      skip,
    }: { filter: { dateAfter: string }; first: number; skip: number },
  ) => {
    await hold;
    const all = library[filter.dateAfter];
    if (!all) throw new Error("gone");
    const nodes = all
      .slice(skip, skip + first)
      .map((path) => ({ path, width: 3, height: 2, analysisState: "DONE" }));
    return {
      files: {
        totalCount: all.length,
        nodes,
        pageInfo: { hasNextPage: skip + first < all.length, endCursor: null },
      },
    };
  },
}));

const names = (month: string, n: number) =>
  Array.from({ length: n }, (_, i) => `${month}/${i}`);
const ask = (from: number, to: number) => {
  const months = Object.entries(library).map(
    ([start, { length }]) =>
      new Month({ start, end: "", count: length }, { filter: {}, search: "" }),
  );
  return {
    months,
    paths: pathsBetween(
      months,
      placesOf(months.map(({ count }) => count)),
      from,
      to,
    ),
  };
};

beforeEach(() => {
  library = {
    "2026-03": names("m", 3),
    "2026-01": names("j", 150),
    "2025-12": names("d", 2),
  };
  hold = null;
});

test.each([
  [0, 155],
  [1, 2],
  [2, 5],
  [100, 154],
  [154, 155],
  [3, 3],
])(
  "the paths from %i to %i are those with these numbers across months",
  async (from, to) => {
    expect(await ask(from, to).paths).toEqual(
      Object.values(library).flat().slice(from, to),
    );
  },
);

test("months that are not needed are not opened", async () => {
  const { months, paths } = ask(4, 6);
  await paths;
  expect(months.map(({ files }) => files !== null)).toEqual([
    false,
    true,
    false,
  ]);
});

test.each([
  ["is gone", () => delete library["2026-01"]],
  ["has become shorter", () => library["2026-01"]!.splice(100)],
])(
  "a month that %s meanwhile leaves nothing, not a part",
  async (_, change) => {
    let go = () => {};
    hold = new Promise((resolve) => (go = resolve));
    const { paths } = ask(0, 155);
    change();
    go();
    expect(await paths).toEqual([]);
  },
);

test("nor is one that is closed", async () => {
  let go = () => {};
  hold = new Promise((resolve) => (go = resolve));
  const { months, paths } = ask(0, 155);
  months[0]!.close();
  go();
  expect(await paths).toEqual([]);
});

test("a month far away is kept while its paths are loading, and unloaded afterwards", async () => {
  let go = () => {};
  hold = new Promise((resolve) => (go = resolve));
  const { months, paths } = ask(0, 155);
  months[0]!.rest();
  go();
  expect(await paths).toHaveLength(155);
  months[0]!.rest();
  expect(months[0]!.files).toBeNull();
});

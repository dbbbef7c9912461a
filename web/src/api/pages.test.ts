import { expect, test } from "vitest";
import { allOf } from "./pages";

const pages = [
  { nodes: [1, 2], pageInfo: { hasNextPage: true, endCursor: "b" } },
  { nodes: [3, 4], pageInfo: { hasNextPage: true, endCursor: "d" } },
  { nodes: [5], pageInfo: { hasNextPage: false, endCursor: "e" } },
];
const ask = async (after: string | null) =>
  pages[after === null ? 0 : after === "b" ? 1 : 2];

test("all pages are fetched, one after the other", async () => {
  expect(await allOf(ask)).toEqual([1, 2, 3, 4, 5]);
  expect(await allOf(async () => null)).toEqual([]);
});
test("no page is fetched beyond the limit", async () => {
  expect(await allOf(ask, 3)).toEqual([1, 2, 3, 4]);
});

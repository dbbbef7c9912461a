import { expect, test } from "vitest";
import type { Wanted } from "../gallery/pages.svelte";
import { listOf, originOf } from "./origin";

const list = (change: Partial<Wanted>): Wanted => ({
  folder: "sea",
  recursive: false,
  filter: { isTemplate: false },
  search: "",
  sort: "NAME",
  order: "ASC",
  ...change,
});

test.each<[string, string, Partial<Wanted>, string]>([
  ["a folder", "", {}, ""],
  [
    "a folder by size",
    "?sort=size",
    { sort: "SIZE", order: "DESC" },
    "?sort=size",
  ],
  ["a folder backwards", "?order=desc", { order: "DESC" }, "?order=desc"],
  [
    "all pictures, the newest first",
    "",
    { folder: "", recursive: true, sort: "MODIFIED", order: "DESC" },
    "?in=&sort=changed",
  ],
  [
    "all pictures by name",
    "?sort=name",
    { folder: "", recursive: true },
    "?in=",
  ],
  [
    "the timeline",
    "",
    { folder: "", recursive: true, sort: "TAKEN", order: "DESC" },
    "?in=&sort=taken",
  ],
  [
    "a search in the folder",
    "?q=boat",
    { recursive: true, search: "boat" },
    "?q=boat",
  ],
  [
    "a search everywhere",
    "?q=boat",
    { folder: "", recursive: true, search: "boat" },
    "?q=boat&in=",
  ],
])("%s is in the address", (_, search, change, address) => {
  const [path, wanted] = ["sea/boat.jpg", list(change)];
  expect(originOf(path, wanted, search)).toBe(address);
  expect(listOf(path, new URLSearchParams(address))).toEqual(wanted);
});

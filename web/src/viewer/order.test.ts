import { expect, test } from "vitest";
import { compareFiles, type Sortable } from "./order";

const file = (name: string, change: Partial<Sortable> = {}): Sortable => ({
  name,
  size: 1,
  modifiedAt: "2024-01-01T00:00:00Z",
  rating: 0,
  ...change,
});

test.each([
  ["names without case", file("B"), file("a"), "NAME", 1],
  ["names that differ in case", file("A"), file("a"), "NAME", -1],
  ["a beginning", file("a"), file("a0"), "NAME", -1],
  [
    "sizes as numbers",
    file("a", { size: 9 }),
    file("b", { size: 10 }),
    "SIZE",
    -1,
  ],
  [
    "a date taken, otherwise of the change",
    file("a", { takenAt: "2023-01-01T00:00:00.5Z" }),
    file("b"),
    "TAKEN",
    -1,
  ],
  ["pixels", file("a", { width: 9, height: 9 }), file("b"), "DIMENSIONS", 1],
  ["equal ratings", file("a"), file("b"), "RATING", 0],
] as const)("%s", (_, a, b, sort, result) => {
  expect(compareFiles(a, b, sort, "ASC")).toBe(result);
  expect(compareFiles(b, a, sort, "DESC")).toBe(result);
});

import { expect, test } from "vitest";
import { others } from "./keep";

const copy = (path: string, day: number) => ({
  path,
  modifiedAt: `2026-01-0${day}T00:00:00Z`,
});

test.each([
  {
    name: "the oldest stays",
    copies: [copy("b.jpg", 2), copy("a.jpg", 1), copy("c.jpg", 3)],
    gone: ["b.jpg", "c.jpg"],
  },
  {
    name: "of two as old the shorter path stays",
    copies: [copy("copies/a.jpg", 1), copy("a.jpg", 1)],
    gone: ["copies/a.jpg"],
  },
  {
    name: "the chosen one stays",
    copies: [copy("a.jpg", 1), copy("b.jpg", 2)],
    kept: "b.jpg",
    gone: ["a.jpg"],
  },
  { name: "one alone stays", copies: [copy("a.jpg", 1)], gone: [] },
])("$name", ({ copies, kept, gone }) => {
  expect(others(copies, kept)).toEqual(gone);
});

import { describe, expect, test } from "vitest";
import { mannerOf, Selection, span } from "./selection.svelte";

const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
const between = async (from: number, to: number) => names.slice(from, to);
const at = (s: Selection, i: number, manner: "only" | "toggle" | "range") =>
  s.select(i, names[i]!, manner, between);
const has = (s: Selection) =>
  [...s.paths].sort((a, b) => names.indexOf(a) - names.indexOf(b));

test("a range extends both ways and shrinks again", async () => {
  const s = new Selection();
  await at(s, 5, "only");
  await at(s, 8, "range");
  expect(has(s)).toEqual(["p5", "p6", "p7", "p8"]);
  await at(s, 3, "range");
  expect(has(s)).toEqual(["p3", "p4", "p5"]);
});

test("toggle adds and removes, only replaces", async () => {
  const s = new Selection();
  await at(s, 1, "toggle");
  await at(s, 4, "toggle");
  expect(has(s)).toEqual(["p1", "p4"]);
  await at(s, 1, "toggle");
  expect(has(s)).toEqual(["p4"]);
  await at(s, 9, "only");
  expect(has(s)).toEqual(["p9"]);
});

test("a range without an anchor selects one", async () => {
  const s = new Selection();
  await at(s, 7, "range");
  expect(has(s)).toEqual(["p7"]);
});

test("the selection before a range stays", async () => {
  const s = new Selection();
  await at(s, 0, "toggle");
  await at(s, 10, "toggle");
  await at(s, 12, "range");
  expect(has(s)).toEqual(["p0", "p10", "p11", "p12"]);
});

test("a list that loads after another action is not selected", async () => {
  const s = new Selection();
  await at(s, 2, "only");
  let come = (_: string[]) => {};
  const range = s.select(
    9,
    names[9]!,
    "range",
    () => new Promise((resolve) => (come = resolve)),
  );
  s.clear();
  come(names.slice(2, 10));
  await range;
  expect(has(s)).toEqual([]);
  const all = s.all(new Promise((resolve) => (come = resolve)));
  await at(s, 4, "only");
  come(names);
  await all;
  expect(has(s)).toEqual(["p4"]);
  await s.all(Promise.resolve(names));
  expect(s.size).toBe(20);
});

test("a path that loads after another action is not selected", async () => {
  const s = new Selection();
  let come = (_: string | undefined) => {};
  const coming = () =>
    new Promise<string | undefined>((resolve) => (come = resolve));
  const cleared = s.select(3, coming(), "toggle", between);
  s.clear();
  come("p3");
  await cleared;
  expect(has(s)).toEqual([]);
  const failed = s.select(3, coming(), "toggle", between);
  come(undefined);
  await failed;
  expect(has(s)).toEqual([]);
  const loaded = s.select(3, coming(), "toggle", between);
  come("p3");
  await loaded;
  expect(has(s)).toEqual(["p3"]);
});

test("a rubber band excludes what was requested before it", async () => {
  const s = new Selection();
  let come = (_: string[]) => {};
  const all = s.all(new Promise((resolve) => (come = resolve)));
  s.begin(false);
  s.draw([1, 2], (i) => names[i]);
  come(names);
  await all;
  expect(has(s)).toEqual(["p1", "p2"]);
});

test("a range that cannot be loaded leaves the previous one", async () => {
  const s = new Selection();
  await at(s, 2, "only");
  await at(s, 4, "range");
  await s.select(9, names[9]!, "range", async () => []);
  expect(has(s)).toEqual(["p2", "p3", "p4"]);
});

test("a range begins at its picture, wherever that is now", async () => {
  const s = new Selection();
  await at(s, 5, "only");
  await s.select(9, names[9]!, "range", between, (path) =>
    path === "p5" ? 8 : -1,
  );
  expect(has(s)).toEqual(["p8", "p9"]);
});

describe("a rubber band", () => {
  const many = Array.from({ length: 5000 }, (_, i) => `p${i}`);
  const items = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => from + i);
  // A list in which only files before index `to` are loaded.
  const here = (to: number) => (index: number) =>
    index >= to - 1000 && index < to ? many[index] : undefined;
  test("over more files than are loaded keeps the first ones, and releases them when it shrinks", () => {
    const s = new Selection();
    s.paths.add("other");
    s.begin(true);
    for (let to = 10; to <= 4000; to += 10)
      s.draw(items(2, to), here(Math.max(1000, to)));
    expect([...s.paths]).toEqual(["other", ...many.slice(2, 4000)]);
    s.draw(items(2, 30), here(4000));
    expect([...s.paths]).toEqual(["other", ...many.slice(2, 30)]);
  });
  test("clears the selection unless it is to be kept", () => {
    const s = new Selection();
    s.paths.add("other");
    s.begin(false);
    s.draw([1, 2], (i) => many[i]);
    expect([...s.paths]).toEqual(["p1", "p2"]);
    s.begin(false);
    s.draw([7], (i) => (i === 7 ? many[i] : undefined));
    expect([...s.paths]).toEqual(["p7"]);
  });
  test("requests at the end what was not loaded", async () => {
    const s = new Selection();
    s.begin(false);
    s.draw([3, 4, 5, 8, 9], (i) => (i === 5 ? many[i] : undefined));
    expect([...s.paths]).toEqual(["p5"]);
    const asked: number[][] = [];
    await s.end(
      async (from, to) => (asked.push([from, to]), many.slice(from, to)),
    );
    expect(asked).toEqual([
      [3, 5],
      [8, 10],
    ]);
    expect([...s.paths].sort()).toEqual(["p3", "p4", "p5", "p8", "p9"]);
  });
  test("selects nothing after another action", async () => {
    const s = new Selection();
    s.begin(false);
    s.draw([3], () => undefined);
    let come = (_: string[]) => {};
    const end = s.end(() => new Promise((resolve) => (come = resolve)));
    s.clear();
    come(["p3"]);
    await end;
    expect(s.size).toBe(0);
  });
  test("does not bring back deleted files", () => {
    const s = new Selection();
    s.paths.add("other");
    s.begin(true);
    s.draw([1, 2], (i) => many[i]);
    s.drop("p1");
    s.drop("other");
    s.draw([1, 2, 3], (i) => (i > 1 ? many[i] : undefined));
    expect([...s.paths]).toEqual(["p2", "p3"]);
  });
});

test.each([
  [{ shiftKey: true, ctrlKey: true, metaKey: false }, "range"],
  [{ shiftKey: false, ctrlKey: false, metaKey: true }, "toggle"],
  [{ shiftKey: false, ctrlKey: false, metaKey: false }, "only"],
] as const)("keys %o", (keys, manner) => expect(mannerOf(keys)).toBe(manner));
test("span", () => expect(span(9, 4)).toEqual({ from: 4, to: 10 }));

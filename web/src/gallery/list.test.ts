import { expect, test, vi } from "vitest";
import { pressBeside, pressKey } from "./list";
import { Selection } from "./selection.svelte";

vi.mock("../router/router.svelte", () => ({ navigate: () => undefined }));

const all = ["p0", "p1", "p2"];

// A list whose current picture arrives when `come` is called.
function stage() {
  const selection = new Selection();
  const removed: (readonly string[])[] = [];
  const rated: [readonly string[], number][] = [];
  let come = () => {};
  const path = new Promise<string>((resolve) => (come = () => resolve("p1")));
  const press = (key: string, held = {}) => {
    const event = {
      key,
      altKey: false,
      shiftKey: false,
      ctrlKey: false,
      metaKey: false,
      preventDefault: () => undefined,
      ...held,
    } as unknown as KeyboardEvent;
    pressKey(event, {
      count: all.length,
      current: 1,
      selection,
      step: () => undefined,
      go: async () => undefined,
      open: () => undefined,
      choose: async (index, manner) => {
        await selection.select(index, path, manner, async (from, to) =>
          all.slice(from, to),
        );
        return path;
      },
      all: () => selection.all(Promise.resolve(all)),
      path: "p1",
      remove: (paths) => removed.push(paths),
      rate: (paths, rating) => rated.push([paths, rating]),
    });
  };
  return { selection, removed, rated, press, come: () => come() };
}
const settle = () => new Promise((resolve) => setTimeout(resolve));

test("Delete removes the picture at the cursor, even if another is selected before its path arrives", async () => {
  const { selection, removed, press, come } = stage();
  press("Delete");
  press("a", { ctrlKey: true });
  await settle();
  expect(selection.size).toBe(3);
  come();
  await settle();
  expect(removed).toEqual([["p1"]]);
});

test("Delete removes the selection without requesting the path at the cursor", async () => {
  const { selection, removed, press } = stage();
  await selection.all(Promise.resolve(["p0", "p2"]));
  press("Delete");
  await selection.all(Promise.resolve(all));
  await settle();
  expect(removed).toEqual([["p0", "p2"]]);
});

test("digits rate the selection, or else the picture at the cursor without selecting it", async () => {
  const { selection, rated, press } = stage();
  press("4");
  expect(selection.size).toBe(0);
  await selection.all(Promise.resolve(["p0", "p2"]));
  press("0");
  press("6");
  expect(rated).toEqual([
    [["p1"], 4],
    [["p0", "p2"], 0],
  ]);
});

// Sends a key press whose target is inside an element that matches `within`.
function beside(key: string, within: string, held = {}) {
  const matches = (selector: string) =>
    selector.split(", ").some((one) => one === within);
  return {
    key,
    altKey: false,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    defaultPrevented: false,
    preventDefault: vi.fn(),
    target: { matches, closest: (selector: string) => matches(selector) },
    ...held,
  } as unknown as KeyboardEvent;
}
const list = (selection: Selection) => ({
  count: all.length,
  selection,
  all: () => selection.all(Promise.resolve(all)),
});

test.each([
  ["body", 3],
  ["#main", 3],
  ["a", 3],
  ["textarea", 0],
  ["[role=menu]", 0],
  ["[role=dialog]", 0],
])("Ctrl A with the focus in %s selects %i", async (within, size) => {
  const selection = new Selection();
  const event = beside("a", within, { ctrlKey: true });
  pressBeside(event, list(selection));
  await settle();
  expect(selection.size).toBe(size);
  expect(event.preventDefault).toHaveBeenCalledTimes(size ? 1 : 0);
});

test("Escape clears the selection when nothing has the focus", async () => {
  const selection = new Selection();
  await selection.all(Promise.resolve(all));
  pressBeside(beside("Escape", "a"), list(selection));
  expect(selection.size).toBe(3);
  pressBeside(beside("Escape", "body"), list(selection));
  expect(selection.size).toBe(0);
});

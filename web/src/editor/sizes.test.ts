import { beforeEach, expect, test, vi } from "vitest";
import { Sizes } from "./sizes.svelte";

const asked: string[] = [];
let down = false;
vi.mock("./server", () => ({
  measure: async (path: string, signal: AbortSignal) => {
    asked.push(path);
    await Promise.resolve();
    if (down || signal.aborted) throw new Error("no answer");
    return { width: path.length, height: 1 };
  },
}));
const settle = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  asked.length = 0;
  down = false;
});

test("a path is requested once", async () => {
  const sizes = new Sizes();
  sizes.ask(["a", "bb"]);
  expect(sizes.of("a")).toBeUndefined();
  sizes.ask(["bb", "ccc"]);
  await settle();
  sizes.ask(["a", "bb", "ccc"]);
  expect(asked).toEqual(["a", "bb", "ccc"]);
  expect([sizes.of("a")?.width, sizes.of("ccc")?.width]).toEqual([1, 3]);
});

test("a failed path is requested again", async () => {
  const sizes = new Sizes();
  down = true;
  sizes.ask(["a"]);
  await settle();
  expect(sizes.of("a")).toBeNull();
  down = false;
  sizes.ask(["a"]);
  await settle();
  expect(sizes.of("a")).toMatchObject({ width: 1 });
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Rendering } from "./rendering.svelte";

type Asked = {
  path: string;
  signal: AbortSignal;
  answer: (blob: Blob) => void;
  fail: (error: Error) => void;
};
const asked: Asked[] = [];
vi.mock("./server", () => ({
  render: (path: string, signal: AbortSignal) =>
    new Promise<Blob>((resolve, reject) => {
      asked.push({ path, signal, answer: resolve, fail: reject });
      signal.addEventListener("abort", () =>
        reject(new DOMException("stopped", "AbortError")),
      );
    }),
}));

const online = new EventTarget();
const settle = () => vi.advanceTimersByTimeAsync(0);
const answer = async (at: number) => {
  asked[at]!.answer(new Blob([asked[at]!.path]));
  await settle();
};

beforeEach(() => {
  asked.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", online.addEventListener.bind(online));
  vi.stubGlobal(
    "Image",
    class {
      src = "";
      naturalWidth = 4;
      naturalHeight = 3;
      decode = () => Promise.resolve();
    },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("one change is one request", async () => {
  const rendering = new Rendering();
  rendering.show("a", 0.5);
  rendering.show("a", 0.5);
  expect(asked.map(({ path }) => path)).toEqual(["a"]);
  await answer(0);
  expect([
    rendering.path,
    rendering.scale,
    rendering.width,
    rendering.busy,
  ]).toEqual(["a", 0.5, 4, false]);
  rendering.show("b", 0.5);
  await answer(1);
  expect(asked.map(({ path }) => path)).toEqual(["a", "b"]);
  rendering.close();
});

test("during a drag one request runs, and then only the newest path is requested", async () => {
  const rendering = new Rendering();
  for (const path of ["a", "b", "c", "d"]) rendering.show(path, 1);
  expect(asked.map(({ path }) => path)).toEqual(["a"]);
  await answer(0);
  expect(rendering.path).toBe("a");
  expect(asked.map(({ path }) => path)).toEqual(["a", "d"]);
  await answer(1);
  expect([rendering.path, rendering.busy]).toEqual(["d", false]);
  rendering.close();
});

test("a request for an outdated document is aborted once the newest one stays; its result is not shown", async () => {
  const rendering = new Rendering();
  rendering.show("old", 1);
  rendering.show("new", 1);
  await vi.advanceTimersByTimeAsync(150);
  expect(asked[0]!.signal.aborted).toBe(true);
  expect(asked.map(({ path }) => path)).toEqual(["old", "new"]);
  await answer(1);
  await answer(0);
  expect([rendering.path, rendering.failure]).toEqual(["new", null]);
  rendering.close();
});

test("nothing is shown after the page is left", async () => {
  const rendering = new Rendering();
  rendering.show("a", 1);
  rendering.close();
  await answer(0);
  expect([asked[0]!.signal.aborted, rendering.url]).toEqual([true, ""]);
});

test("a failed request is repeated when the network is back, and its error disappears", async () => {
  const rendering = new Rendering();
  rendering.show("a", 1);
  asked[0]!.fail(Object.assign(new Error("no answer"), { code: "OFFLINE" }));
  await settle();
  expect([rendering.failure?.message, asked.length]).toEqual(["no answer", 1]);
  online.dispatchEvent(new Event("online"));
  await settle();
  expect(asked.map(({ path }) => path)).toEqual(["a", "a"]);
  await answer(1);
  expect([rendering.path, rendering.failure]).toEqual(["a", null]);
  rendering.close();
});

test("a different document does not wait for the retry; a refused one is not requested again", async () => {
  const rendering = new Rendering();
  rendering.show("a", 1);
  asked[0]!.fail(Object.assign(new Error("no answer"), { code: "OFFLINE" }));
  await settle();
  rendering.show("b", 1);
  await vi.advanceTimersByTimeAsync(150);
  expect(asked.map(({ path }) => path)).toEqual(["a", "b"]);
  asked[1]!.fail(Object.assign(new Error("too large"), { code: "TOO_LARGE" }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect([asked.length, rendering.failure?.message]).toEqual([2, "too large"]);
  rendering.close();
});

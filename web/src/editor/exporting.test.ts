import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../api/transport";
import { Exporting } from "./exporting.svelte";

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

const settle = () => vi.advanceTimersByTimeAsync(0);
const answer = async (at: number) => {
  asked[at]!.answer(new Blob([asked[at]!.path]));
  await settle();
};
const fail = async (at: number, error: Error) => {
  asked[at]!.fail(error);
  await settle();
};
const paths = () => asked.map(({ path }) => path);
const revoked: string[] = [];
const online = new EventTarget();

beforeEach(() => {
  asked.length = revoked.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", online.addEventListener.bind(online));
  let made = 0;
  vi.spyOn(URL, "createObjectURL").mockImplementation(() => `blob:${made++}`);
  vi.spyOn(URL, "revokeObjectURL").mockImplementation(
    (url) => void revoked.push(url),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("renders one path after the other", async () => {
  const exporting = new Exporting();
  exporting.want(["a", "b"]);
  expect(paths()).toEqual(["a"]);
  await answer(0);
  expect(exporting.of("a")).toMatchObject({ url: "blob:0" });
  expect(paths()).toEqual(["a", "b"]);
  await answer(1);
  exporting.close();
  expect(revoked).toEqual([]); // <img> elements may still be reading them
  await vi.advanceTimersByTimeAsync(60_000);
  expect(revoked).toEqual(["blob:0", "blob:1"]);
});

test("frees results that are no longer wanted, and stops rendering them", async () => {
  const exporting = new Exporting();
  exporting.want(["a", "b"]);
  await answer(0);
  exporting.want(["c"]);
  expect(exporting.of("a")).toBeUndefined();
  expect(asked[1]!.signal.aborted).toBe(true);
  await settle();
  expect(paths()).toEqual(["a", "b", "c"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(revoked).toEqual(["blob:0"]);
  exporting.close();
  await settle();
  expect(asked[2]!.signal.aborted).toBe(true);
  expect(paths()).toEqual(["a", "b", "c"]);
});

test("an error of the path stays until somebody retries", async () => {
  const exporting = new Exporting();
  exporting.want(["a", "b"]);
  await fail(0, new ApiError("BAD_USER_INPUT", "no"));
  await answer(1);
  await vi.advanceTimersByTimeAsync(60_000);
  exporting.want(["a", "b"]);
  expect(exporting.of("a")).toBeInstanceOf(Error);
  expect(paths()).toEqual(["a", "b"]);
  exporting.again("a");
  expect(exporting.of("a")).toBeUndefined();
  await answer(2);
  expect(exporting.of("a")).toMatchObject({ url: "blob:1" });
  exporting.close();
});

test.each([
  ["without the network", new ApiError("OFFLINE", "no")],
  ["of a busy server", new ApiError("UNAVAILABLE", "no", undefined, 1)],
])("an error %s goes away on its own", async (_, error) => {
  const exporting = new Exporting();
  exporting.want(["a"]);
  await fail(0, error);
  expect(exporting.of("a")).toBe(error);
  await vi.advanceTimersByTimeAsync(1000);
  expect(exporting.of("a")).toBeUndefined();
  expect(paths()).toEqual(["a", "a"]);
  // The next pause would be longer; the button skips it.
  await fail(1, error);
  exporting.again("a");
  await settle();
  expect(paths()).toEqual(["a", "a", "a"]);
  exporting.close();
});

import { beforeEach, expect, test, vi } from "vitest";
import { insist, passes } from "./insist";

const online = new EventTarget();
beforeEach(() =>
  vi.stubGlobal("addEventListener", online.addEventListener.bind(online)),
);
const error = (code: string, retryAfter?: number) =>
  Object.assign(new Error(code), { code, retryAfter });

test("a request is repeated until it is answered, and each failure is reported", async () => {
  const said: unknown[] = [];
  const answers = [error("OFFLINE"), error("OVERLOADED", 1), "done"];
  const answer = insist(
    async () => {
      const next = answers.shift();
      if (next instanceof Error) throw next;
      return next;
    },
    new AbortController().signal,
    (failure) => {
      said.push((failure as Error).message);
      queueMicrotask(() => online.dispatchEvent(new Event("online")));
    },
  );
  expect([await answer, said]).toEqual(["done", ["OFFLINE", "OVERLOADED"]]);
});

test("a refused request is not repeated, and nothing is after an abort", async () => {
  const failed = vi.fn();
  await expect(
    insist(
      () => Promise.reject(error("NOT_FOUND")),
      new AbortController().signal,
      failed,
    ),
  ).rejects.toThrow("NOT_FOUND");
  expect(failed).not.toHaveBeenCalled();
  const stop = new AbortController();
  const stopped = insist(
    () => Promise.reject(error("OFFLINE")),
    stop.signal,
    () => stop.abort(new Error("stop")),
  );
  await expect(stopped).rejects.toThrow("stop");
});

test.each([
  ["OFFLINE", true],
  ["UNAVAILABLE", true],
  ["NOT_FOUND", false],
  ["FORBIDDEN", false],
  ["UNAUTHENTICATED", false],
])("%s may pass: %s", (code, expected) => {
  expect(passes(error(code))).toBe(expected);
});

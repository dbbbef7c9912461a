import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { backoff, pauseOrOnline } from "./pause";

let network: EventTarget;
beforeEach(() => {
  vi.useFakeTimers();
  network = new EventTarget();
  vi.stubGlobal("addEventListener", network.addEventListener.bind(network));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([
  [0, 0, 1000],
  [0, 1, 500],
  [1, 0, 2000],
  [2, 0, 4000],
  [3, 0, 8000],
  [5, 0, 30_000],
  [3, 0.5, 6000],
  [50, 0, 30_000],
  [2000, 1, 15_000],
])(
  "after %i failures and with a random value of %f it waits %i ms",
  (failures, random, ms) => {
    expect(backoff(failures, random)).toBe(ms);
  },
);

test("a pause ends when the network is back", async () => {
  const ended = vi.fn();
  void pauseOrOnline(10_000).then(ended);
  await vi.advanceTimersByTimeAsync(10);
  expect(ended).not.toHaveBeenCalled();
  network.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("otherwise it ends after its time, and throws when it is aborted", async () => {
  const ended = vi.fn();
  void pauseOrOnline(1000).then(ended);
  await vi.advanceTimersByTimeAsync(1000);
  expect(ended).toHaveBeenCalledOnce();
  const stop = new AbortController();
  const stopped = pauseOrOnline(1000, stop.signal);
  stop.abort(new Error("stop"));
  await expect(stopped).rejects.toThrow("stop");
});

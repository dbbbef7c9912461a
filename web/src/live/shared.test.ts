import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SharedStream } from "./shared";

// A visible page without locks, and a server that does not respond.
let network: EventTarget;
let opened = 0;
const stream = () =>
  // eslint-disable-next-line require-yield -- it fails before its first value
  new SharedStream<number>("test", async function* () {
    opened++;
    throw new Error("no answer");
  });

beforeEach(() => {
  vi.useFakeTimers();
  [network, opened] = [new EventTarget(), 0];
  vi.stubGlobal("addEventListener", network.addEventListener.bind(network));
  vi.stubGlobal("navigator", {});
  vi.stubGlobal(
    "document",
    Object.assign(new EventTarget(), { hidden: false }),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a broken stream is reopened after a delay", async () => {
  const leave = stream().listen(() => undefined);
  await vi.advanceTimersByTimeAsync(499);
  expect(opened).toBe(1);
  await vi.advanceTimersByTimeAsync(501);
  expect(opened).toBe(2);
  leave();
});

test("it is reopened at once when the network is back, and not by the timer too", async () => {
  const leave = stream().listen(() => undefined);
  await vi.advanceTimersByTimeAsync(10);
  network.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(opened).toBe(2);
  await vi.advanceTimersByTimeAsync(990);
  expect(opened).toBe(2);
  leave();
});

test("it is not reopened after the last listener has gone", async () => {
  const leave = stream().listen(() => undefined);
  await vi.advanceTimersByTimeAsync(10);
  leave();
  network.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(opened).toBe(1);
});

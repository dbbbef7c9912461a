import { expect, test, vi } from "vitest";
import { Renewal } from "./renewal";

test("many changes cause one request, and one during it causes another", async () => {
  vi.useFakeTimers();
  let asked = 0;
  let answer = () => undefined as void;
  const renewal = new Renewal(
    () => new Promise((resolve) => (asked++, (answer = resolve))),
  );
  for (let i = 0; i < 50; i++) renewal.soon();
  expect(asked).toBe(0);
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toBe(1);
  expect(renewal.running).toBe(true);
  for (let i = 0; i < 50; i++) renewal.soon();
  renewal.now();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(1);
  answer();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(2);
  answer();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(2);
  renewal.stop();
  renewal.now();
  expect(asked).toBe(2);
  vi.useRealTimers();
});

import { expect, test } from "vitest";
import { ApiError } from "../api/transport";
import { Attempt } from "./attempt.svelte";

const explain = (error: unknown) => (error as Error).message;

test("a run is busy until its action has ended", async () => {
  const attempt = new Attempt(explain);
  let end: () => void = () => undefined;
  const run = attempt.run(
    () => new Promise<void>((resolve) => (end = resolve)),
    "send",
  );
  expect([attempt.busy, attempt.running]).toEqual([true, "send"]);
  end();
  expect(await run).toBe(true);
  expect(attempt.busy).toBe(false);
});

test("a failure is explained until the next run", async () => {
  const attempt = new Attempt(explain);
  const refused = new ApiError("CONFLICT", "there is one already");
  expect(await attempt.run(() => Promise.reject(refused))).toBe(false);
  expect([attempt.busy, attempt.problem]).toEqual([
    false,
    "there is one already",
  ]);
  const run = attempt.run(() => Promise.resolve());
  expect(attempt.problem).toBe(null);
  expect(await run).toBe(true);
});

test("what the person canceled is no problem, and did not succeed", async () => {
  const attempt = new Attempt(explain);
  const canceled = new DOMException(
    "The person did not confirm.",
    "AbortError",
  );
  expect(await attempt.run(() => Promise.reject(canceled))).toBe(false);
  expect(attempt.problem).toBe(null);
});

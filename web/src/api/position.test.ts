import { expect, test } from "vitest";
import { Positions } from "./position";

function made() {
  const positions = new Positions();
  const missed: string[] = [];
  positions.whenMissed(() => missed.push("missed"));
  return { positions, missed };
}

test("a reload is skipped while nothing has changed since the responses", () => {
  const { positions, missed } = made();
  positions.sent()("a.1");
  positions.sent()("a.1");
  positions.sent()(null);
  expect(positions.current("a.1")).toBe(true);
  expect(missed).toEqual([]);
  expect(positions.current("a.1"), "another stream").toBe(false);
});

test.each([
  { name: "a change after an answer", answers: ["a.1"], at: "a.2" },
  { name: "a change between two answers", answers: ["a.1", "a.2"], at: "a.2" },
  { name: "an answer of another server", answers: ["b.1"], at: "a.1" },
])("a reload is needed: $name", ({ answers, at }) => {
  const { positions } = made();
  for (const position of answers) positions.sent()(position);
  expect(positions.current(at)).toBe(false);
});

test("a pending response turns out to be older than the skipped reload", () => {
  const { positions, missed } = made();
  const [first, second] = [positions.sent(), positions.sent()];
  expect(positions.current("a.2")).toBe(true);
  first("a.1");
  second("a.1");
  expect(missed).toEqual(["missed"]);
});

test("a response to a later request is newer", () => {
  const { positions, missed } = made();
  expect(positions.current("a.2")).toBe(true);
  positions.sent()("a.3");
  expect(missed).toEqual([]);
});

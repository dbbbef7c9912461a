import { expect, test } from "vitest";
import { ranked, score } from "./rank";

test.each([
  ["Trash", "tr", true],
  ["Journeys/São Paulo", "sao", true],
  ["API tokens", "tok api", true],
  ["Trash", "x", false],
  ["Trash", "", true],
])("%s for %j", (name, typed, found) =>
  expect(score(name, typed) > 0).toBe(found),
);

test("the beginning of a name scores higher than its middle", () => {
  const labels = ["Restart", "New start", "Start"].map((label) => ({ label }));
  expect(ranked(labels, "start").map((one) => one.label)).toEqual([
    "Start",
    "New start",
    "Restart",
  ]);
  expect(ranked(labels, "").map((one) => one.label)).toEqual([
    "Restart",
    "New start",
    "Start",
  ]);
});

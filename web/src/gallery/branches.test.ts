import { expect, test } from "vitest";
import { madeOf, step } from "./branches";

const all = Array.from({ length: 200 }, (_, i) => ({
  id: `${i}`,
  path: `f${i}`,
  name: `f${i}`,
}));

test.each([
  ["", step, 60],
  ["f3", step, 60],
  ["f99/inside", step, 100],
  ["f9", 120, 120],
  ["", 300, 200],
])("at %j with %i there are %i", (at, most, made) => {
  expect(madeOf(all, most, at)).toHaveLength(made);
});

import { expect, test } from "vitest";
import { pastedName } from "./pick";

test.each([
  ["image.png", "2026-03-04 05.06.07.png"],
  ["image.jpeg", "2026-03-04 05.06.07.jpeg"],
  ["fjord.png", "fjord.png"],
  ["image.copy.png", "image.copy.png"],
])("%s pasted is %s", (name, expected) => {
  expect(pastedName({ name }, new Date(2026, 2, 4, 5, 6, 7))).toBe(expected);
});

import { expect, test } from "vitest";
import { byName, pastedName } from "./pick";

test.each([
  ["image.png", "2026-03-04 05.06.07.png"],
  ["image.jpeg", "2026-03-04 05.06.07.jpeg"],
  ["fjord.png", "fjord.png"],
  ["image.copy.png", "image.copy.png"],
])("%s pasted is %s", (name, expected) => {
  expect(pastedName({ name }, new Date(2026, 2, 4, 5, 6, 7))).toBe(expected);
});

test("the files of a folder are sorted by name", () => {
  const file = new File([], "");
  const picked = ["day/10.jpg", "day/9.jpg", "a.jpg"].map((path) => ({
    file,
    path,
  }));
  expect(byName(picked).map(({ path }) => path)).toEqual([
    "a.jpg",
    "day/9.jpg",
    "day/10.jpg",
  ]);
});

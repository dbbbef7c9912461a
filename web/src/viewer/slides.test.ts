import { expect, test } from "vitest";
import { keepSlides, keptSlides, nextSlide } from "./slides";

test.each([
  [0, 3, false, 1],
  [2, 3, false, null],
  [2, 3, true, 0],
  [0, 1, true, null],
  [-1, 3, true, null],
  [0, 0, true, null],
])("after index %d of %d, repeat %s: %s", (index, count, repeat, next) => {
  expect(nextSlide(index, count, repeat)).toBe(next);
});

test("settings are restored the next time, and invalid ones are ignored", () => {
  let kept: string | null = null;
  const storage = {
    getItem: () => kept,
    setItem: (_: string, value: string) => void (kept = value),
  };
  expect(keptSlides(storage)).toEqual({ seconds: 5, repeat: false });
  keepSlides({ seconds: 10, repeat: true }, storage);
  expect(keptSlides(storage)).toEqual({ seconds: 10, repeat: true });
  for (kept of ['{"seconds":0.001,"repeat":"yes"}', "{", "null"])
    expect(keptSlides(storage)).toEqual({ seconds: 5, repeat: false });
});

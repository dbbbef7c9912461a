import { expect, test } from "vitest";
import { mayReplace } from "./replace";

test.each([
  ["a/b.jpg", "IMG_1.JPG", true],
  ["a/b.jpeg", "c.jpg", true],
  ["a/b.tif", "c.tiff", true],
  ["a/b.jpg", "c.png", false],
  ["a/b.jpg", "c", false],
  ["a.b/c", "d", true],
])("%s by %s", (path, name, may) =>
  expect(mayReplace(path, { name })).toBe(may),
);

import { expect, test } from "vitest";
import { commonFolder } from "./common";

test.each([
  [["a/b/one", "a/b/two"], "a/b"],
  [["a/b/one", "a/bc/two"], "a"],
  [["a/one", "b/two"], ""],
  [["a/b"], "a"],
  [["one"], ""],
  [[], ""],
])("%s are in %s", (paths, folder) => {
  expect(commonFolder(paths)).toBe(folder);
});

import { expect, test } from "vitest";
import { changesKind, nameProblem, stemLength } from "./names";

test.each([
  ["sea.jpg", false, 3],
  ["sea.2026.tar.gz", false, 12],
  ["README", false, 6],
  [".hidden", false, 7],
  ["2026.06", true, 7],
])(
  "of %s are selected (folder: %s) %d characters",
  (name, isFolder, length) => {
    expect(stemLength(name, isFolder)).toBe(length);
  },
);

test.each([
  ["sea.jpg", null],
  ["日本 100 %.jpg", null],
  ["", "files.name.empty"],
  [".sea.jpg", "files.name.dot"],
  ["..", "files.name.dot"],
  ["a/b", "files.name.sign"],
  ["a\\b", "files.name.sign"],
  ["a\u0007b", "files.name.sign"],
  ["é".repeat(127), null],
  ["é".repeat(128), "files.name.long"],
  ["e\u0301".repeat(127), null], // counted in the server's normalization
])("%s: %s", (name, problem) => {
  expect(nameProblem(name)).toBe(problem);
});

test.each([
  ["a.jpg", "b.JPG", false],
  ["a.jpg", "a.png", true],
  ["a.jpg", "a", true],
  ["a", "b", false],
])("%s to %s is another kind: %s", (before, after, changed) => {
  expect(changesKind(before, after)).toBe(changed);
});

import { expect, test } from "vitest";
import { changesKind, nameProblem, numberedNames, stemLength } from "./names";

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
  ["gpj.\u202etac", "files.name.hidden"],
  ["a\u200bb", "files.name.hidden"],
  ["\u0645\u06cc\u200c\u062e.jpg", null], // a joiner that Persian needs
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

test("files are numbered in their order and keep their extensions", () => {
  const paths = ["b.JPG", "trip/a.tar.gz", "c"];
  const names = numberedNames("Wedding", paths);
  expect([...names]).toEqual([
    ["b.JPG", "Wedding-1.JPG"],
    ["trip/a.tar.gz", "Wedding-2.gz"],
    ["c", "Wedding-3"],
  ]);
  const many = Array.from({ length: 10 }, (_, i) => `${i}.jpg`);
  expect(numberedNames("a", many).get("0.jpg")).toBe("a-01.jpg");
});

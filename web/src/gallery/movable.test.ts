import { expect, test } from "vitest";
import { movable } from "./folders.svelte";

test.each([
  ["from another folder", ["a/x.jpg", "a/y.jpg"], "b", ["a/x.jpg", "a/y.jpg"]],
  ["from there already", ["b/x.jpg"], "b", []],
  ["to the root", ["x.jpg", "a/x.jpg"], "", ["a/x.jpg"]],
  ["a folder into itself", ["a"], "a", []],
  ["a folder into one of its own", ["a"], "a/b/c", []],
  ["a folder into one with a similar name", ["a"], "ab", ["a"]],
  ["a folder to where it is", ["a/b"], "a", []],
])("dropping %s", (_, paths, folder, moves) => {
  expect(movable(paths, folder)).toEqual(moves);
});

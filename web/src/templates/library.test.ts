import { expect, test } from "vitest";
import { endingOf, withEnding } from "../editor/ending";
import { resultName } from "./library";

test.each([
  ["a/b/fjord.jpg", "Share card", "fjord-share-card"],
  ["fjord", "桜 / 1", "fjord-桜-1"],
  ["a.b.png", "///", "a.b-template"],
])("%s with %s", (picture, template, name) =>
  expect(resultName(picture, template)).toBe(name),
);

test("file extensions of results", () => {
  expect(withEnding("a", endingOf("image/jpeg"))).toBe("a.jpg");
  expect(withEnding("a.JPG", endingOf("image/jpeg; charset=x"))).toBe("a.JPG");
  expect(endingOf("image/svg+xml")).toBe("svg");
});

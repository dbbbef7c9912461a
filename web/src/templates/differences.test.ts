import { expect, test } from "vitest";
import { parse } from "../editor/parse";
import { differencesOf } from "./differences";

const of = (path: string) => parse(`${path}${path ? "/" : ""}x`)!.operations;
const of2 = (a: string, b: string) =>
  differencesOf(of(a), of(b)).map(({ what, left, right }) => [
    what,
    left,
    right,
  ]);

test.each([
  ["300x200/filters:blur(2)", "300x200/filters:blur(2)", []],
  [
    "300x200",
    "300x300/left",
    [
      ["size", "300x200", "300x300"],
      ["align", "", "left"],
    ],
  ],
  [
    "-300x200/5x5",
    "fit-in/300x200",
    [
      ["fit", "", "fit-in"],
      ["flip", "↔", ""],
      ["padding", "5x5", ""],
    ],
  ],
  [
    "filters:blur(2):grayscale()",
    "filters:greyscale():blur(3):sharpen(1)",
    [
      ["blur", "2", "3"],
      ["sharpen", "", "1"],
    ],
  ],
  [
    "filters:text(a,0,0):text(b,0,0)",
    "filters:text(a,0,0)",
    [["text", "b,0,0", ""]],
  ],
  [
    "filters:text(b64:e1RpdGxlfQ,0,0)",
    "filters:text(%7BName%7D,0,0)",
    [["text", "{Title},0,0", "{Name},0,0"]],
  ],
  ["filters:text(b64:e1RpdGxlfQ,0,0)", "filters:text(%7BTitle%7D,0,0)", []],
  ["filters:invert()", "", [["invert", "✓", ""]]],
])("%s and %s", (a, b, changes) => expect(of2(a, b)).toEqual(changes));

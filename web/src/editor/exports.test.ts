import { expect, test, vi } from "vitest";
import {
  atSize,
  exportSum,
  fileName,
  following,
  hasText,
  namesProblem,
  stiffLayers,
  usualSizes,
  withTextOf,
} from "./exports";
import { format } from "./format";
import type { Operations } from "./operations";
import { parse } from "./parse";
import { naturalPath } from "./units";

vi.mock("../messages/index.svelte", () => ({
  language: { current: "en" },
  t: (key: string, values: object = {}) =>
    [key.replace("editor.sizes.", ""), ...Object.values(values)].join(" "),
}));

const of = (path: string): Operations =>
  parse(`${path}${path ? "/" : ""}x`)!.operations;
const source = { width: 4000, height: 3000 };
const story = { width: 1080, height: 1920 };

test.each([
  ["", null, "1080x1920/smart/"],
  ["", { x: 0.2, y: 0.4 }, "1080x1920/filters:focal(0.2,0.4)/"],
  [
    "300x200/filters:focal(0.1,0.9):blur(2)",
    { x: 0.2, y: 0.4 },
    "1080x1920/filters:focal(0.1,0.9):blur(2)/",
  ],
  ["300x200/smart", null, "1080x1920/smart/"],
  ["300x200/left", { x: 0.9, y: 0.4 }, "1080x1920/left/"],
  ["stretch/300x200", null, "1080x1920/smart/"],
  // A crop of another shape determines the focal point; one of the same shape is kept.
  ["0x0:1000x1000/600x0", null, "1080x1920/filters:focal(0.125,0.167)/"],
  [
    "0x0:1000x1000/600x0/left",
    { x: 1, y: 1 },
    "1080x1920/filters:focal(0.125,0.167)/",
  ],
  ["100x100:1180x2020/600x0", null, "100x100:1180x2020/1080x1920/"],
  ["fit-in/300x200", null, "1080x1920/smart/"],
  [
    "fit-in/300x200/filters:fill(red)",
    null,
    "fit-in/1080x1920/filters:fill(red)/",
  ],
  [
    "fit-in/300x200/10x20/filters:fill(red)",
    null,
    "fit-in/1060x1880/10x20/filters:fill(red)/",
  ],
  [
    "300x200/filters:rotate(90):proportion(50)",
    null,
    "1920x1080/smart/filters:rotate(90)/",
  ],
])("%j at the size of a story", (path, focal, expected) =>
  expect(format(atSize(of(path), source, story, focal))).toBe(expected),
);

test.each([
  ["text(Hi,0,0,sans-bold-8p,white)", "text(Hi,0,0,sans-bold-12p,white)"],
  ["text(Hi,0,0,sans-bold-20)", "text(Hi,0,0,sans-bold-30)"],
  ["label(Hi,0,0,40,red)", "label(Hi,0,0,60,red)"],
  [
    "image(fxf/filters:text(Hi,0,0,sans-10p)/color:none,0,0)",
    "image(fxf/filters:text(Hi,0,0,sans-15p)/color:none,0,0)",
  ],
  ["image(logo.png,0,0)", "image(logo.png,0,0)"],
])("%s with text half as large again", (before, after) => {
  const o = of(`filters:${before}`);
  expect(format(withTextOf(o, 150))).toBe(`filters:${after}/`);
  expect(withTextOf(o, 100)).toBe(o);
  expect(hasText(o)).toBe(before !== after);
});

test("a picture of the wanted shape needs no focal point", () => {
  expect(
    format(atSize(of(""), source, { width: 800, height: 600 }, null)),
  ).toBe("800x600/");
});
test("a crop of a straightened picture becomes a focal point of the whole picture", () => {
  const at = atSize(
    of("0x0:1955x2932/filters:straighten(1)"),
    source,
    { width: 900, height: 300 },
    null,
  );
  expect(format(at)).toBe("900x300/filters:straighten(1):focal(0.256,0.5)/");
});

test("names", () => {
  const square = usualSizes[2]!;
  expect(fileName("winter-{size}", square)).toBe("winter-square");
  expect(fileName("a/b {width}x{height} ", square)).toBe("a-b 1080x1080");
  expect(fileName("a\\b", square)).toBe("a-b");
});

test.each([
  ["{size}", null],
  ["", "files.name.empty"],
  [" ", "files.name.empty"],
  [".{size}", "files.name.dot"],
  ["x".repeat(252), "files.name.long"],
  ["same", "editor.sizes.sameNames"],
])("what is wrong with the names of %j", (pattern, problem) =>
  expect(namesProblem(pattern, usualSizes)).toBe(problem),
);

test("pictures of natural size are converted to percent once they are measured", () => {
  const around = { width: 1000, height: 500 };
  const o = of(
    "filters:image(0x0/10x10/filters:rotate(90):fill(red)/l.png,0,0):image(l.png,10,0)",
  );
  const paths = stiffLayers(o, around).map(naturalPath);
  expect(paths).toEqual(["l.png", "filters:fill(red)/l.png"]);
  const natural = new Map(
    paths.map((path) => [path!, { width: 300, height: 200 }]),
  );
  expect(format(following(o, around, natural))).toBe(
    "filters:image(30px0/10x10/filters:rotate(90):fill(red)/l.png,0,0):image(30px0/l.png,1p,0)/",
  );
});

test("layers in pixels are converted to percent", () => {
  const around = { width: 1000, height: 500 };
  const o = of(
    "filters:text(a,0,-50,sans-40):image(25px0/l.png,0,0):image(100x0/l.png,5p,0)",
  );
  expect(stiffLayers(o, around).map(({ at }) => at)).toEqual([2, 0]);
  expect(format(following(o, around))).toBe(
    "filters:text(a,0,-10p,sans-8p):image(25px0/l.png,0,0):image(10px0/l.png,5p,0)/",
  );
});

test.each([
  [0, [], "sum 0"],
  [3, [], "sum 3"],
  [3, [1000, 2000], "sumSoFar 2 3 3 kB"],
  [3, [1000, 2000, 4500], "sum 3, 7.5 kB"],
])("the total of %d files of which %j are known", (n, made, text) => {
  expect(exportSum(n, made)).toBe(text);
});

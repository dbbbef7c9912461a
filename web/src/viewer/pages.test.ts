import { describe, expect, test } from "vitest";
import { filtersOf, pageOf, severalOf, shownSize, sourcesFor } from "./pages";

test.each([
  ["PDF", 3, "pages"],
  ["TIFF", 2, "pages"],
  ["GIF", 24, "frames"],
  ["WEBP", 2, "frames"],
  ["PDF", 1, null],
  ["GIF", null, null],
  ["JPEG", 3, null],
  [null, 3, null],
] as const)("%s of %s: %s", (format, pages, several) =>
  expect(severalOf({ format, pages })).toBe(several),
);

test.each([
  [null, 7, 1],
  ["3", 7, 3],
  ["0", 7, 1],
  ["-2", 7, 1],
  ["99", 7, 7],
  ["x", 7, 1],
  ["2.9", 7, 2],
  ["1e9", 7, 1],
  ["5", 0, 1],
] as const)("the page %s of %d is %d", (text, pages, page) => {
  expect(pageOf(text, pages)).toBe(page);
});

test("a page is a filter, and the whole file has none", () => {
  expect([filtersOf(null), filtersOf(2)]).toEqual([
    [],
    [{ name: "page", args: "2" }],
  ]);
});

describe("sources", () => {
  const screens = [960, 1600, 2400, 3600, 5400].map((width) => ({
    url: `/${width}`,
    width,
  }));
  const widths = (...given: Parameters<typeof sourcesFor>) =>
    sourcesFor(...given).map(({ width }) => width);
  test("of a picture are limited to its width, and end with its own pixels", () => {
    expect(
      widths("JPEG", { width: 2000, height: 1000 }, screens, "/full"),
    ).toEqual([960, 1600, 2000]);
    expect(widths("JPEG", null, screens, "/full")).toEqual([
      960,
      1600,
      2400,
      3600,
      5400,
      Infinity,
    ]);
    expect(widths("JPEG", { width: 2000, height: 1000 }, screens, "")).toEqual([
      960, 1600,
    ]);
  });
  test("of a vector image are as wide as it is drawn", () => {
    expect(shownSize("PDF", { width: 595, height: 842 })).toEqual({
      width: 2827,
      height: 4000,
    });
    expect(
      widths("PDF", { width: 2827, height: 4000 }, screens, "/full"),
    ).toEqual([960, 1600, 2400, 3600]);
    expect(widths("SVG", null, screens, "/full")).toEqual([960]);
    expect(widths("SVG", { width: 9000, height: 90 }, screens, "")).toEqual([
      960, 1600, 2400, 3600, 5400,
    ]);
  });
  test("a picture with pixels, or with enough of them, keeps its size", () => {
    expect(shownSize("TIFF", { width: 30, height: 20 })).toEqual({
      width: 30,
      height: 20,
    });
    expect(shownSize("SVG", { width: 9000, height: 90 })).toEqual({
      width: 9000,
      height: 90,
    });
  });
});

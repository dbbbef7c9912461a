import { describe, expect, test } from "vitest";
import type { Box } from "./crop";
import { grow, snapMove, snapResize } from "./snap";

const picture = { width: 900, height: 600 };
const other: Box = { x: 500, y: 100, width: 120, height: 60 };
const box: Box = { x: 100, y: 210, width: 80, height: 40 };

describe("a box that is moved", () => {
  // dx, dy; the resulting position; the sides of the picture that it snapped to
  test.each([
    ["nothing is near", 31, 17, [131, 227], [null, null]],
    ["the left edge of the picture", -97, 17, [0, 227], ["start", null]],
    ["the right edge", 716, 17, [820, 227], ["end", null]],
    ["the center", 307, 74, [410, 280], ["center", "center"]],
    ["the bottom", 31, 348, [131, 560], [null, "end"]],
    ["a third by its center", 163, 17, [260, 227], [null, null]],
    ["a third by its edge", 203, 17, [300, 227], [null, null]],
    ["the left edge of another layer", 402, 17, [500, 227], [null, null]],
    [
      "the right edge of another by its left",
      523,
      17,
      [620, 227],
      [null, null],
    ],
    ["centers of another layer", 423, -100, [520, 110], [null, null]],
  ])("%s", (_, dx, dy, start, sides) => {
    const found = snapMove(box, dx, dy, picture, [other], 6);
    expect([box.x + found.dx, box.y + found.dy]).toEqual(start);
    expect([found.sideX, found.sideY]).toEqual(sides);
    expect(found.guides.some(({ axis }) => axis === "x")).toBe(found.dx !== dx);
    expect(found.guides.some(({ axis }) => axis === "y")).toBe(found.dy !== dy);
  });
  test("does not snap to what is out of reach", () => {
    expect(snapMove(box, -94, 17, picture, [other], 6)).toEqual({
      dx: -94,
      dy: 17,
      sideX: null,
      sideY: null,
      guides: [],
    });
    expect(snapMove(box, -94.1, 17, picture, [other], 6).dx).toBe(-100);
  });
  test("the nearest of two targets wins", () => {
    // The left edge is 2 from the other box's left edge, the center 4 from the picture's.
    const near = { ...other, x: 404 };
    expect(snapMove(box, 306, 17, picture, [near], 6)).toMatchObject({
      dx: 304,
      sideX: null,
    });
    expect(snapMove(box, 309, 17, picture, [near], 6)).toMatchObject({
      dx: 310,
      sideX: "center",
    });
  });
  test("guides span the picture, or reach from one layer to the other", () => {
    expect(snapMove(box, -97, 17, picture, [], 6).guides).toEqual([
      { axis: "x", at: 0, from: 0, to: 600 },
    ]);
    expect(snapMove(box, 402, 17, picture, [other], 6).guides).toEqual([
      { axis: "x", at: 500, from: 100, to: 267 },
    ]);
    // As wide as the other box: both edges and the center are on a guide.
    const wide = { ...box, width: 120 };
    expect(
      snapMove(wide, 402, 17, picture, [other], 6).guides.map(({ at }) => at),
    ).toEqual([500, 560, 620]);
  });
});

describe("a box that grows", () => {
  const start = { x: "start", y: "start" } as const;
  test.each([
    ["from its start", start, { x: 100, y: 210, width: 160, height: 80 }],
    [
      "around its center",
      { x: "center", y: "center" } as const,
      { x: 60, y: 190, width: 160, height: 80 },
    ],
    [
      "from its end",
      { x: "end", y: "end" } as const,
      { x: 20, y: 170, width: 160, height: 80 },
    ],
  ])("%s", (_, anchor, grown) => expect(grow(box, 2, anchor)).toEqual(grown));
  test.each([
    ["the edge of another layer", start, 4.97, 5, [["x", 500]]],
    ["a third", start, 2.53, 2.5, [["x", 300]]],
    ["the bottom of the picture", start, 9.8, 9.75, [["y", 600]]],
    [
      "both edges around the center",
      { x: "center", y: "start" } as const,
      3.46,
      3.5,
      [["x", 0]],
    ],
    [
      "the left edge from its end",
      { x: "end", y: "start" } as const,
      2.2,
      2.25,
      [
        ["x", 0],
        ["y", 300],
      ],
    ],
    ["nothing", start, 1.5, 1.5, []],
  ])("%s", (_, anchor, factor, snapped, lines) => {
    const found = snapResize(box, factor, anchor, picture, [other], 6);
    expect(found.factor).toBeCloseTo(snapped, 9);
    expect(found.guides.map(({ axis, at }) => [axis, at])).toEqual(lines);
  });
  test("does not shrink to nothing", () =>
    expect(
      snapResize(
        box,
        0.06,
        start,
        picture,
        [{ x: 100, y: 0, width: 10, height: 10 }],
        6,
      ).factor,
    ).toBeGreaterThan(0.01));
});

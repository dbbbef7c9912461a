import { describe, expect, test } from "vitest";
import {
  addPoint,
  curveOf,
  lineOf,
  movePoint,
  setCurve,
  widestGap,
  type CurvePoint,
} from "./curve";
import { addFilter } from "./filters";
import { format } from "./format";
import { nothing, type Operations } from "./operations";
import { parse } from "./parse";

const of = (filters: string) => parse(`filters:${filters}/x`)!.operations;
const add = (o: Operations, args: string) =>
  addFilter(o, { name: "curve", args });

describe("the curves of a document", () => {
  test("are found by channel", () => {
    const o = of("curve(64,56,128,142):curve(B,10,20):-curve(r,1,2)");
    expect(curveOf(o, "rgb")).toEqual([
      [64, 56],
      [128, 142],
    ]);
    expect(curveOf(o, "b")).toEqual([[10, 20]]);
    expect(curveOf(o, "r")).toEqual([]);
  });

  test("are set, added in the order of tones, and removed", () => {
    const o = setCurve(of("vibrance(5):blur(3)"), "rgb", [[64, 50]], add);
    expect(format(o)).toBe("filters:curve(64,50):vibrance(5):blur(3)/");
    const both = setCurve(o, "g", [[0, 20]], add);
    expect(format(setCurve(both, "rgb", [[9, 9]], add))).toBe(
      "filters:curve(9,9):curve(g,0,20):vibrance(5):blur(3)/",
    );
    expect(format(setCurve(both, "rgb", [], add))).toBe(
      "filters:curve(g,0,20):vibrance(5):blur(3)/",
    );
    expect(setCurve(nothing(), "r", [], add)).toEqual(nothing());
  });
});

describe("points", () => {
  const points: CurvePoint[] = [
    [64, 50],
    [128, 140],
  ];
  test("stay between their neighbors and in the box", () => {
    expect(movePoint(points, 0, 200, 300)[0]).toEqual([127, 255]);
    expect(movePoint(points, 1, 3, -9)[1]).toEqual([65, 0]);
    expect(movePoint(points, 1, 999, 9.4)[1]).toEqual([255, 9]);
  });
  test("are added in the order of x, without duplicates and eight at most", () => {
    expect(addPoint(points, 100, 90)).toEqual({
      points: [
        [64, 50],
        [100, 90],
        [128, 140],
      ],
      at: 1,
    });
    expect(addPoint(points, 64, 90)).toBeNull();
    const eight = Array.from({ length: 8 }, (_, i): CurvePoint => [i, i]);
    expect(addPoint(eight, 100, 90)).toBeNull();
  });
  test("are added in the widest gap", () => {
    expect(widestGap([])).toBe(128);
    expect(widestGap(points)).toBe(192);
    expect(widestGap([[200, 9]])).toBe(100);
  });
});

describe("the line", () => {
  test("passes through its points without overshooting", () => {
    for (const points of [
      [],
      [[128, 128]],
      [
        [10, 200],
        [20, 210],
        [240, 220],
      ],
      [
        [0, 255],
        [255, 0],
      ],
      [
        [100, 100],
        [101, 101],
        [102, 180],
      ],
    ] as CurvePoint[][]) {
      const line = lineOf(points);
      for (const [x, y] of points) expect(line(x)).toBeCloseTo(y, 9);
      const knots = [[0, line(0)], ...points, [255, line(255)]];
      for (let i = 1; i < knots.length; i++)
        for (let x = knots[i - 1]![0]!; x <= knots[i]![0]!; x += 0.5) {
          const ends = [knots[i - 1]![1]!, knots[i]![1]!];
          expect(line(x)).toBeGreaterThanOrEqual(Math.min(...ends) - 1e-9);
          expect(line(x)).toBeLessThanOrEqual(Math.max(...ends) + 1e-9);
        }
    }
    expect(lineOf([])(77)).toBeCloseTo(77, 9);
  });
});

import { describe, expect, test } from "vitest";
import { histogram } from "./histogram";

describe("histogram", () => {
  const of = (...pixels: [number, number, number, number][]) =>
    histogram(new Uint8ClampedArray(pixels.flat()));
  const heights = (curve: string) =>
    curve.split(" ").map((point) => 40 - Number(point.split(",")[1]));
  test("counts each channel separately, and ignores transparent pixels", () => {
    const [red, green, blue] = of(
      [0, 128, 255, 255],
      [0, 128, 255, 255],
      [255, 255, 255, 0],
    ).map(heights) as [number[], number[], number[]];
    expect([red[0], red[63], green[32], blue[63], blue[0]]).toEqual([
      40, 0, 40, 40, 0,
    ]);
  });
  test("is flat without pixels", () =>
    expect(
      of().every((curve) => heights(curve).every((height) => height === 0)),
    ).toBe(true));
});

import { describe, expect, test } from "vitest";
import { toEnvelope } from "./envelope";
import { setSlide, slideOf, whiteBalance } from "./filters";
import { format } from "./format";
import { nothing } from "./operations";
import { parse } from "./parse";
import {
  lookNames,
  lookOf,
  looks,
  propose,
  withLook,
  withoutTone,
  withProposal,
} from "./tone";

const of = (filters: string) => parse(`filters:${filters}/x`)!.operations;
const gray = (...values: number[]) =>
  new Uint8ClampedArray(values.flatMap((v) => [v, v, v, 255]));

describe("white balance", () => {
  const [temperature, tint] = whiteBalance as [
    (typeof whiteBalance)[0],
    (typeof whiteBalance)[0],
  ];
  test("has two sliders, and is removed when both are neutral", () => {
    expect(slideOf(nothing(), temperature)).toBe(6500);
    const warm = setSlide(nothing(), temperature, 7200);
    expect(format(warm)).toBe("filters:white_balance(7200,0)/");
    const both = setSlide(warm, tint, 4);
    expect(format(both)).toBe("filters:white_balance(7200,4)/");
    const colder = setSlide(both, temperature, 6500);
    expect(format(colder)).toBe("filters:white_balance(6500,4)/");
    expect(setSlide(colder, tint, 0)).toEqual(nothing());
    expect(slideOf(of("white_balance(5000)"), tint)).toBe(0);
  });
});

describe("looks", () => {
  test("are recognized, and replace only other tone filters", () => {
    for (const look of lookNames) {
      const o = withLook(of("exposure(2):blur(3):curve(r,3,4)"), look);
      expect(lookOf(o)).toBe(look);
      const chain = [looks[look], "blur(3)"].filter(Boolean).join(":");
      expect(format(o)).toBe(`filters:${chain}/`);
    }
    expect(lookOf(of("exposure(0.1)"))).toBeNull();
    expect(format(withoutTone(of("greyscale():blur(3)")))).toBe(
      "filters:blur(3)/",
    );
  });
});

describe("proposed values", () => {
  test("are empty for a picture that needs none", () => {
    const even = gray(...Array.from({ length: 200 }, (_, i) => 32 + i));
    expect(propose(even)).toMatchObject({ highlights: 0, shadows: 0 });
    expect(Math.abs(propose(even).exposure)).toBeLessThan(0.3);
    expect(propose(new Uint8ClampedArray(4)).exposure).toBe(0);
  });
  test("lift a dark picture, lower a bright one, and add contrast to a flat one", () => {
    const dark = propose(gray(...Array.from({ length: 100 }, (_, i) => i / 2)));
    expect(dark.exposure).toBeGreaterThan(0.3);
    expect(dark.shadows).toBeGreaterThan(10);
    const bright = propose(
      gray(...Array.from({ length: 100 }, (_, i) => 200 + i / 2)),
    );
    expect(bright.exposure).toBeLessThan(0);
    expect(bright.highlights).toBeLessThan(-10);
    const flat = propose(gray(...Array.from({ length: 80 }, (_, i) => 90 + i)));
    expect(flat.contrast).toBeGreaterThan(10);
  });
  test("replace existing ones", () => {
    const o = withProposal(of("exposure(1):shadows(3)"), {
      exposure: 0,
      highlights: -5,
      shadows: 9,
      contrast: 0,
    });
    expect(format(o)).toBe("filters:highlights(-5):shadows(9)/");
  });
});

describe("a template", () => {
  const made = (filters: string) => {
    const { json, lost } = toEnvelope(
      of(filters),
      "a.jpg",
      { width: 300, height: 200 },
      "adaptive",
    );
    expect(lost).toEqual([]);
    return (JSON.parse(json) as { transformations: Record<string, unknown> })
      .transformations;
  };
  test("contains tone filters in their order", () => {
    const { filters, contrast, blur } = made(
      "exposure(0.5):contrast(9):curve(r,3,4):grayscale():blur(2)",
    );
    expect(filters).toEqual([
      { name: "exposure", args: "0.5" },
      { name: "contrast", args: "9" },
      { name: "curve", args: "r,3,4" },
      { name: "grayscale", args: "" },
      { name: "blur", args: "2" },
    ]);
    expect([contrast, blur]).toEqual([undefined, undefined]);
  });
  test("uses fields for what precedes them", () => {
    const { filters, contrast } = made("contrast(9):vibrance(5)");
    expect(contrast).toBe(9);
    expect(filters).toEqual([{ name: "vibrance", args: "5" }]);
  });
});

import { describe, expect, test } from "vitest";
import {
  covers,
  fitScale,
  fittedSource,
  hold,
  parseSrcset,
  pointOn,
  regionOf,
  sourceFor,
  wholeSources,
  zoomAt,
} from "./zoom";

const picture = { width: 4000, height: 2000 };
const stage = { width: 1000, height: 800 };

test("a picture fits the stage, and a small one is not enlarged", () => {
  expect(fitScale(picture, stage)).toBe(0.25);
  expect(fitScale({ width: 100, height: 50 }, stage)).toBe(1);
  expect(fitScale({ width: 0, height: 0 }, stage)).toBe(1);
});

describe("zoom", () => {
  const fit = { scale: 0.25, x: 0, y: 0 };
  test("keeps what is under the pointer in place", () => {
    const at = { x: 200, y: 50 };
    const near = zoomAt(fit, 4, at, picture, stage);
    expect(near.scale).toBe(1);
    expect(pointOn(near, at, picture)).toEqual(pointOn(fit, at, picture));
  });
  test("keeps the edges of a large picture outside of the view, and centers one that fits", () => {
    expect(hold({ scale: 1, x: 9999, y: -9999 }, picture, stage)).toEqual({
      scale: 1,
      x: 1500,
      y: -600,
    });
    expect(hold({ scale: 0.25, x: 40, y: 40 }, picture, stage)).toEqual({
      scale: 0.25,
      x: 0,
      y: 0,
    });
  });
  test("is limited by fitting and by four times the real pixels", () => {
    expect(zoomAt(fit, 0.1, { x: 0, y: 0 }, picture, stage).scale).toBe(0.25);
    expect(zoomAt(fit, 1000, { x: 0, y: 0 }, picture, stage).scale).toBe(4);
  });
});

test("a point beside the picture is null", () => {
  expect(
    pointOn({ scale: 0.25, x: 0, y: 0 }, { x: 0, y: 300 }, picture),
  ).toBeNull();
  expect(
    pointOn({ scale: 0.25, x: 0, y: 0 }, { x: -500, y: 250 }, picture),
  ).toEqual({ x: 0, y: 1 });
});

test("the smallest sharp source is chosen", () => {
  const sources = parseSrcset("/b/x(1,2)/b.png 960w, /a/b.png 480w");
  expect(sources).toEqual([
    { url: "/a/b.png", width: 480 },
    { url: "/b/x(1,2)/b.png", width: 960 },
  ]);
  expect(sourceFor(sources, 500)?.width).toBe(960);
  expect(sourceFor(sources, 5000)?.width).toBe(960);
  expect(sourceFor([], 1)).toBeUndefined();
});

describe("regions", () => {
  const large = { width: 12_000, height: 8000 };
  test("at real pixels are the visible part, and stay within the picture", () => {
    const seen = regionOf({ scale: 1, x: 0, y: 0 }, large, stage, 1, 0);
    expect(seen).toEqual({
      left: 5500,
      right: 6500,
      top: 3600,
      bottom: 4400,
      density: 1,
    });
    expect(
      regionOf({ scale: 1, x: 5500, y: 0 }, large, stage, 1, 0.25),
    ).toEqual({ left: 0, right: 1250, top: 3400, bottom: 4600, density: 1 });
    expect(
      regionOf({ scale: 4, x: 0, y: 0 }, large, stage, 2, 0),
    ).toMatchObject({ left: 5875, right: 6125, density: 1 });
  });
  test("that are covered already are not requested again", () => {
    const there = regionOf({ scale: 1, x: 0, y: 0 }, large, stage, 1, 0.25);
    const seen = (view: { scale: number; x: number; y: number }) =>
      covers(there, regionOf(view, large, stage, 1, 0));
    expect([
      seen({ scale: 1, x: 200, y: -150 }),
      seen({ scale: 3, x: 0, y: 0 }),
      seen({ scale: 1, x: 300, y: 0 }),
      seen({ scale: 0.5, x: 0, y: 0 }),
    ]).toEqual([true, true, false, false]);
    expect(
      covers(
        { ...there, density: 0.5 },
        regionOf({ scale: 1, x: 0, y: 0 }, large, stage, 1, 0),
      ),
    ).toBe(false);
    expect(covers(null, there)).toBe(false);
  });
  test("are for pictures that are too large to be shown whole", () => {
    const sources = [960, 3600, 8000, 12_000].map((width) => ({
      url: String(width),
      width,
    }));
    expect(wholeSources(sources, large).map(({ width }) => width)).toEqual([
      960, 3600,
    ]);
    expect(wholeSources(sources, { width: 6000, height: 4000 })).toBe(sources);
  });
});

test("the prefetched source is the one that will be shown: it depends on the stage and the screen density", () => {
  const sources = [960, 1600, 2400, 4000].map((width) => ({
    url: String(width),
    width,
  }));
  expect(
    [1, 2, 3].map(
      (pixels) => fittedSource(sources, picture, stage, pixels)?.width,
    ),
  ).toEqual([1600, 2400, 4000]);
  expect(
    fittedSource(sources, picture, { width: 900, height: 800 }, 1)?.width,
  ).toBe(960);
  expect(
    fittedSource(sources, { width: 2000, height: 4000 }, stage, 1)?.width,
  ).toBe(960);
});

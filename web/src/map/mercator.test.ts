import { describe, expect, test } from "vitest";
import {
  boundsOf,
  clampView,
  formatView,
  parseView,
  placeIn,
  pointOf,
  positionOf,
  tilesOf,
  unionOf,
  viewOf,
  zoomAt,
} from "./mercator";

test("converting a position to a point and back returns the same position", () => {
  for (const position of [
    { latitude: 35.01, longitude: 135.77 },
    { latitude: -33.9, longitude: -179.9 },
  ]) {
    const back = positionOf(pointOf(position));
    expect(back.latitude).toBeCloseTo(position.latitude, 6);
    expect(back.longitude).toBeCloseTo(position.longitude, 6);
  }
  expect(pointOf({ latitude: 90, longitude: 0 }).y).toBeCloseTo(0, 5);
});

test("the window never shows more than the map from north to south", () => {
  const view = clampView({ x: 1.25, y: 0, zoom: 0 }, 800);
  expect(view.x).toBeCloseTo(0.25);
  expect(view.zoom).toBeCloseTo(Math.log2(800 / 256));
  expect(view.y).toBeCloseTo(0.5);
});

test("a zoom keeps the point under the pointer", () => {
  const view = { x: 0.5, y: 0.5, zoom: 4 };
  const point = { x: 0.52, y: 0.47 };
  const at = placeIn(view, point);
  const after = placeIn(zoomAt(view, 6, at), point);
  expect(after.x).toBeCloseTo(at.x, 6);
  expect(after.y).toBeCloseTo(at.y, 6);
});

test("the map continues beyond 180 degrees", () => {
  const view = { x: 0.999, y: 0.5, zoom: 5 };
  expect(placeIn(view, { x: 0.001, y: 0.5 }).x).toBeCloseTo(0.002 * 8192);
  const { bounds, zoom } = boundsOf(view, 800, 600);
  expect(zoom).toBe(5);
  expect(bounds.west).toBeGreaterThan(bounds.east);
  expect(boundsOf({ x: 0.5, y: 0.5, zoom: 1 }, 1400, 512).bounds).toMatchObject(
    { west: -180, east: 180 },
  );
});

describe("the union of bounds", () => {
  const of = (west: number, east: number) => ({
    south: 1,
    north: 2,
    west,
    east,
  });
  test.each([
    [[of(10, 20)], 10, 20],
    [[of(10, 20), of(-30, -20)], -30, 20],
    [[of(170, 175), of(-175, -170)], 170, -170],
    [[of(179, -179)], 179, -179],
    [[of(179, -179), of(130, 140)], 130, -179],
    [[of(-170, 170), of(165, -165)], -180, 180],
  ])("%j", (all, west, east) => {
    expect(unionOf(all)).toEqual({ south: 1, north: 2, west, east });
  });
});

test("a view of bounds contains them, across 180 degrees too", () => {
  const view = viewOf(
    { south: -18, west: 178, north: -16, east: -178 },
    1000,
    600,
  );
  expect(Math.min(view.x, 1 - view.x)).toBeCloseTo(0, 5);
  const corner = placeIn(view, pointOf({ latitude: -16, longitude: 178 }));
  expect(corner.x).toBeGreaterThan(-500);
  expect(corner.y).toBeGreaterThan(-300);
  const all = viewOf(
    { south: -80, west: -180, north: 80, east: 180 },
    1000,
    600,
  );
  expect(all.x).toBeCloseTo(0.5);
});

test("a view survives the URL", () => {
  const view = { ...pointOf({ latitude: 35.2, longitude: 137.5 }), zoom: 6.5 };
  expect(formatView(view)).toBe("35.20000,137.50000,6.5");
  const back = parseView("35.20000,137.50000,6.5")!;
  expect(back.x).toBeCloseTo(view.x, 7);
  for (const text of [null, "", "1,2", "a,b,c", "1,2,3,4"])
    expect(parseView(text)).toBeNull();
});

test("tiles cover the window and nothing else", () => {
  const tiles = tilesOf({ x: 0.999, y: 0.5, zoom: 3 }, 800, 600);
  expect(
    tiles.every(({ x, y, z }) => z === 3 && x >= 0 && x < 8 && y < 8),
  ).toBe(true);
  expect(tiles.length).toBeLessThanOrEqual(5 * 4);
  expect(Math.min(...tiles.map(({ left }) => left))).toBeLessThanOrEqual(0);
  expect(
    Math.max(...tiles.map(({ left, side }) => left + side)),
  ).toBeGreaterThanOrEqual(800);
});

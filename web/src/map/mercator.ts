import type { GeoBoundsInput } from "../api/graphql";

/** A point of the map in Web Mercator: 0 to 1 from west to east and from north to south. */
export type Point = { x: number; y: number };

type Position = { latitude: number; longitude: number };

const maxLatitude = 85.0511;

export function pointOf({ latitude, longitude }: Position): Point {
  const within = Math.max(-maxLatitude, Math.min(maxLatitude, latitude));
  const sine = Math.sin((within * Math.PI) / 180);
  return {
    x: longitude / 360 + 0.5,
    y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI),
  };
}

export function positionOf({ x, y }: Point): Position {
  return {
    latitude: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
    longitude: (x - 0.5) * 360,
  };
}

/** The non-negative remainder. */
export const modulo = (value: number, by: number): number =>
  ((value % by) + by) % by;

/**
 * The part of the map in the window: its center, and the zoom, at which the world is 256 * 2^zoom
 * pixels wide.
 */
export type View = Point & { zoom: number };

export const minZoom = 1;
export const maxZoom = 19;

export const worldSize = (zoom: number): number => 256 * 2 ** zoom;

/** Limits a view to the map from north to south, and its center to the range 0 to 1. */
export function clampView(view: View, height: number): View {
  const least = Math.max(minZoom, Math.log2(height / 256));
  const zoom = Math.max(least, Math.min(maxZoom, view.zoom));
  const half = Math.min(0.5, height / 2 / worldSize(zoom));
  return {
    x: modulo(view.x, 1),
    y: Math.max(half, Math.min(1 - half, view.y)),
    zoom,
  };
}

/** The view after zooming around a point of the window, relative to its center, which stays in place. */
export function zoomAt(view: View, zoom: number, at: Point): View {
  const now = worldSize(view.zoom);
  const then = worldSize(zoom);
  return {
    x: view.x + at.x / now - at.x / then,
    y: view.y + at.y / now - at.y / then,
    zoom,
  };
}

/**
 * The position of a point in the window, relative to its center. On a repeating map, it is the
 * nearest copy.
 */
export function placeIn(view: View, { x, y }: Point): Point {
  const size = worldSize(view.zoom);
  const across = x - view.x;
  return {
    x: (across - Math.round(across)) * size,
    y: (y - view.y) * size,
  };
}

/**
 * The bounds of a window, enlarged to squares of a grid at an integer zoom, so that small movements
 * cause no new request.
 */
export function boundsOf(
  view: View,
  width: number,
  height: number,
): { bounds: GeoBoundsInput; zoom: number } {
  const zoom = Math.floor(view.zoom + 0.25);
  const cell = 128 / worldSize(zoom);
  const size = worldSize(view.zoom);
  const from = (middle: number, length: number) =>
    Math.floor((middle - length / 2 / size) / cell) * cell;
  const to = (middle: number, length: number) =>
    Math.ceil((middle + length / 2 / size) / cell) * cell;
  const [north, south] = [from(view.y, height), to(view.y, height)];
  const [west, east] = [from(view.x, width), to(view.x, width)];
  const whole = east - west >= 1;
  const northWest = positionOf({
    x: whole ? 0 : modulo(west, 1),
    y: Math.max(0, north),
  });
  const southEast = positionOf({
    x: whole ? 1 : modulo(east, 1),
    y: Math.min(1, south),
  });
  return {
    zoom,
    bounds: {
      north: northWest.latitude,
      west: northWest.longitude,
      south: southEast.latitude,
      east: southEast.longitude,
    },
  };
}

/** The smallest bounds that contain all of the given ones, at least one. They may extend across 180 degrees. */
export function unionOf(all: readonly GeoBoundsInput[]): GeoBoundsInput {
  const arcs = all
    .map(({ west, east }) => ({ west, east: east < west ? east + 360 : east }))
    .sort((a, b) => a.west - b.west);
  // the gaps between the bounds, beginning with that between the last and the first
  let reach = Math.max(...arcs.map(({ east }) => east));
  let empty = { from: reach, to: arcs[0]!.west + 360 };
  reach = arcs[0]!.east;
  for (const { west, east } of arcs) {
    if (west - reach > empty.to - empty.from) empty = { from: reach, to: west };
    reach = Math.max(reach, east);
  }
  const onEarth = (degrees: number) =>
    degrees > 180 ? degrees - 360 : degrees;
  const whole = empty.to <= empty.from;
  return {
    south: Math.min(...all.map(({ south }) => south)),
    north: Math.max(...all.map(({ north }) => north)),
    west: whole ? -180 : onEarth(empty.to),
    east: whole ? 180 : onEarth(empty.from),
  };
}

/** The view in which bounds fill a window, with a margin in pixels. */
export function viewOf(
  { south, west, north, east }: GeoBoundsInput,
  width: number,
  height: number,
  margin = 80,
): View {
  const from = pointOf({ latitude: north, longitude: west });
  const to = pointOf({ latitude: south, longitude: east });
  const wide = east - west === 360 ? 1 : modulo(to.x - from.x, 1);
  const zoom = Math.min(
    Math.log2(Math.max(1, width - 2 * margin) / 256 / Math.max(wide, 1e-7)),
    Math.log2(
      Math.max(1, height - 2 * margin) / 256 / Math.max(to.y - from.y, 1e-7),
    ),
  );
  return clampView(
    { x: from.x + wide / 2, y: (from.y + to.y) / 2, zoom: Math.min(16, zoom) },
    height,
  );
}

/** Formats a view for the URL: latitude, longitude and zoom. */
export function formatView(view: View): string {
  const { latitude, longitude } = positionOf(view);
  return [
    latitude.toFixed(5),
    longitude.toFixed(5),
    view.zoom.toFixed(2).replace(/\.?0+$/, ""),
  ].join(",");
}

/** Parses a view in the URL; null if it is invalid. */
export function parseView(text: string | null): View | null {
  const numbers = (text ?? "").split(",").map(Number);
  const [latitude, longitude, zoom] = numbers;
  if (numbers.length !== 3 || numbers.some((one) => !Number.isFinite(one)))
    return null;
  return {
    ...pointOf({ latitude: latitude!, longitude: longitude! }),
    zoom: zoom!,
  };
}

/** The tiles in a window, at most 400. */
export function tilesOf(view: View, width: number, height: number) {
  const zoom = Math.max(0, Math.min(maxZoom, Math.round(view.zoom)));
  const count = 2 ** zoom;
  const side = worldSize(view.zoom) / count;
  const tiles: {
    x: number;
    y: number;
    z: number;
    left: number;
    top: number;
    side: number;
    key: string;
  }[] = [];
  const first = (middle: number, length: number) =>
    Math.floor(middle * count - length / 2 / side);
  for (let x = first(view.x, width); tiles.length < 400; x++) {
    const left = (x - view.x * count) * side + width / 2;
    if (left > width) break;
    for (let y = Math.max(0, first(view.y, height)); y < count; y++) {
      const top = (y - view.y * count) * side + height / 2;
      if (top > height) break;
      tiles.push({
        x: modulo(x, count),
        y,
        z: zoom,
        left,
        top,
        side,
        key: `${zoom}/${x}/${y}`,
      });
    }
  }
  return tiles;
}

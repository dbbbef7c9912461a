import { expect, test } from "vitest";
import { cropAround } from "./focal";

test.each([
  // A square of a picture twice as wide is half of it: the point is in its middle unless the edge is near.
  [{ x: 0.5, y: 0.2 }, 1, { x: 50, y: 50 }],
  [{ x: 0.4, y: 0.5 }, 1, { x: 30, y: 50 }],
  [{ x: 0.1, y: 0.5 }, 1, { x: 0, y: 50 }],
  [{ x: 1, y: 0.5 }, 1, { x: 100, y: 50 }],
  [{ x: 0.2, y: 0.5 }, 4, { x: 50, y: 50 }],
  [{ x: 0.2, y: 0.3 }, 4, { x: 50, y: 10 }],
  [{ x: 0.2, y: 0.9 }, 2, { x: 50, y: 50 }],
])("a crop around %j of ratio %d", (point, ratio, position) => {
  const got = cropAround(point, { width: 2000, height: 1000 }, ratio);
  expect([got.x, got.y].map(Math.round)).toEqual([position.x, position.y]);
});

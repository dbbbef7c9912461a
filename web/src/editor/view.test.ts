import { expect, test } from "vitest";
import { turn } from "./filters";
import { nothing } from "./operations";
import { mirror, mirrored, viewOf } from "./view";

test("the position of a box on a picture that is mirrored and turned", () => {
  const picture = { width: 300, height: 200 };
  const box = { x: 10, y: 20, width: 100, height: 50 };
  for (const [o, seen] of [
    [nothing(), box],
    // After a clockwise turn, the former left edge is at the top, and the bottom edge at the left.
    [turn(nothing(), 1), { x: 130, y: 10, width: 50, height: 100 }],
    [turn(nothing(), -1), { x: 20, y: 190, width: 50, height: 100 }],
    [turn(nothing(), 2), { x: 190, y: 130, width: 100, height: 50 }],
    [
      { ...nothing(), hFlip: true },
      { ...box, x: 190 },
    ],
    [
      { ...turn(nothing(), 1), vFlip: true },
      { x: 20, y: 10, width: 50, height: 100 },
    ],
  ] as const) {
    const view = viewOf(o);
    expect(view.seen(box, picture)).toEqual(seen);
    expect(view.stored(seen, picture)).toEqual(box);
  }
  expect(viewOf(turn(nothing(), 1)).sizeOf(picture)).toEqual({
    width: 200,
    height: 300,
  });
});

test("a picture on its side is mirrored as displayed", () => {
  expect(mirror(nothing(), true).hFlip).toBe(true);
  const lying = mirror(turn(nothing(), 1), true);
  expect([lying.hFlip, lying.vFlip]).toEqual([false, true]);
  expect([mirrored(lying, true), mirrored(lying, false)]).toEqual([
    true,
    false,
  ]);
  expect(mirror(lying, true).vFlip).toBe(false);
});

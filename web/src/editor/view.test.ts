import { expect, test } from "vitest";
import { turn } from "./filters";
import { nothing } from "./operations";
import { mirror, mirrored, viewOf } from "./view";

test("a movement on the screen is the one on the picture that looks the same", () => {
  const right = (o = nothing()) =>
    viewOf(o)
      .moved(1, 0)
      .map((n) => n + 0);
  expect(right()).toEqual([1, 0]);
  // Turned clockwise, what was the left edge is at the top: to the right is up.
  expect(right(turn(nothing(), 1))).toEqual([0, -1]);
  expect(right(turn(nothing(), -1))).toEqual([0, 1]);
  expect(right(turn(nothing(), 2))).toEqual([-1, 0]);
  expect(right({ ...nothing(), hFlip: true })).toEqual([-1, 0]);
  expect(right({ ...turn(nothing(), 1), vFlip: true })).toEqual([0, 1]);
});

test("a picture that lies on its side is mirrored as it is seen", () => {
  expect(mirror(nothing(), true).hFlip).toBe(true);
  const lying = mirror(turn(nothing(), 1), true);
  expect([lying.hFlip, lying.vFlip]).toEqual([false, true]);
  expect([mirrored(lying, true), mirrored(lying, false)]).toEqual([
    true,
    false,
  ]);
  expect(mirror(lying, true).vFlip).toBe(false);
});

import { expect, test } from "vitest";
import { framesOf, quantile } from "./trace.mjs";

const event = (name, ts, dur, tdur, more) => ({
  ph: "X",
  name,
  ts: ts * 1000,
  dur: dur * 1000,
  tdur: tdur * 1000,
  pid: 1,
  tid: 1,
  ...more,
});
const frame = (ts, more) => event("PrePaint", ts, 0.1, 0.1, more);

test("script in each frame, by the clock of the thread and of the wall", () => {
  const found = framesOf([
    frame(0),
    frame(16),
    frame(32),
    frame(48),
    event("EventDispatch", 5, 6, 2),
    event("FunctionCall", 6, 3, 1), // inside of it
    event("TimerFire", 12, 1, 0.5),
    event("Layout", 20, 9, 9), // no script
    event("FireAnimationFrame", 33, 4, 3),
    event("FireAnimationFrame", 34, 9, 9, { tid: 2 }), // another thread
    event("RunTask", 33, 80, 60),
    event("RunTask", 34, 80, 10), // which was kept waiting
    event("FunctionCall", 50, 9, 9), // after the last frame
    frame(40, { pid: 7 }),
    frame(41, { pid: 7 }), // of another page
  ]);
  expect([...found.cpu]).toEqual([2.5, 0, 3]);
  expect([...found.wall]).toEqual([7, 0, 4]);
  expect(found).toMatchObject({
    frames: 3,
    between: [16, 16, 16],
    tasks: 1,
    longest: 60,
  });
});
test("a trace without frames", () =>
  expect(framesOf([event("FunctionCall", 0, 1, 1)])).toMatchObject({
    frames: 0,
    between: [],
    tasks: 0,
    longest: 0,
  }));
test.each([
  [[], 0.5, 0],
  [[3], 1, 3],
  [[1, 2, 3, 4], 0.5, 3],
  [[4, 1, 3, 2], 0.95, 4],
])("quantile of %o at %d", (values, part, is) =>
  expect(quantile(values, part)).toBe(is),
);

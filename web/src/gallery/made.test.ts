import { describe, expect, test } from "vitest";
import { extend } from "./made.svelte";
import type { Range } from "./sheet";

const range = (from: number, to: number): Range => ({ from, to });

describe("the next range to create", () => {
  const [seen, wanted] = [range(40, 60), range(20, 90)];
  test.each([
    {
      name: "nothing yet: what is seen",
      made: range(0, 0),
      more: 0,
      up: false,
      next: range(40, 60),
    },
    {
      name: "then a few behind it",
      made: range(40, 60),
      more: 4,
      up: false,
      next: range(40, 64),
    },
    {
      name: "or before it",
      made: range(40, 60),
      more: 4,
      up: true,
      next: range(36, 60),
    },
    {
      name: "before it when all behind it is made",
      made: range(40, 88),
      more: 4,
      up: false,
      next: range(38, 90),
    },
    {
      name: "behind it when all before it is made",
      made: range(22, 60),
      more: 4,
      up: true,
      next: range(20, 62),
    },
    {
      name: "what is not wanted goes",
      made: range(10, 95),
      more: 4,
      up: false,
      next: range(20, 90),
    },
    {
      name: "what has come into view at once, with all between",
      made: range(25, 50),
      more: 0,
      up: false,
      next: range(25, 60),
    },
    {
      name: "what touches it stays",
      made: range(30, 40),
      more: 0,
      up: false,
      next: range(30, 60),
    },
    {
      name: "what was made elsewhere does not fill the way",
      made: range(20, 30),
      more: 0,
      up: false,
      next: range(40, 60),
    },
    {
      name: "nor what was made behind it",
      made: range(70, 90),
      more: 0,
      up: false,
      next: range(40, 60),
    },
    {
      name: "far away",
      made: range(500, 560),
      more: 0,
      up: true,
      next: range(40, 60),
    },
  ])("$name", ({ made, more, up, next }) => {
    expect(extend(made, seen, wanted, more, up)).toEqual(next);
  });
  test("everything is created in the end, and then nothing changes", () => {
    for (const up of [false, true]) {
      let made = range(0, 0);
      let frames = 0;
      for (; made.from !== wanted.from || made.to !== wanted.to; frames++)
        made = extend(made, seen, wanted, frames ? 4 : 0, up);
      expect(frames).toBe(1 + Math.ceil(50 / 4));
      expect(extend(made, seen, wanted, 4, up)).toEqual(wanted);
    }
  });
  test("an empty list creates nothing", () =>
    expect(extend(range(3, 9), range(0, 0), range(0, 0), 4, false)).toEqual(
      range(0, 0),
    ));
});

import { describe, expect, test } from "vitest";
import { ScrollScale, tallest } from "./scrollScale";

test("a sheet within the browsers' limit is not scaled", () => {
  const scale = new ScrollScale(100_000, 800);
  for (const position of [0, 1, 50_000, 99_200])
    expect(scale.scrolled(position)).toBe(position);
  expect(scale.show(1234)).toBe(1234);
  expect([scale.base, scale.element, scale.stuck(99_200)]).toEqual([
    0,
    100_000,
    false,
  ]);
});

describe("a sheet of 60 million pixels", () => {
  const page = 800;
  const make = () => new ScrollScale(60_000_000, page);
  const [end, last] = [tallest - page, 60_000_000 - page];
  test("has the maximum height of an element", () =>
    expect(make().element).toBe(tallest));
  test.each([
    [0, 0],
    [end / 2, last / 2],
    [end, last],
  ])("a scroll bar dragged to %i shows %i", (position, place) => {
    const scale = make();
    if (!position) scale.scrolled(end);
    expect(scale.scrolled(position)).toBeCloseTo(place, 3);
  });
  test("scrolling is pixel by pixel afterwards", () => {
    const scale = make();
    const middle = scale.scrolled(end / 2);
    for (let n = 1; n <= 100; n++)
      expect(scale.scrolled(end / 2 + n * 40)).toBeCloseTo(middle + n * 40, 3);
    expect(scale.scrolled(end / 2)).toBeCloseTo(middle, 3);
  });
  test("the view stays when the scroll bar is corrected", () => {
    const scale = make();
    scale.scrolled(end / 2);
    const place = scale.scrolled(end / 2 + 4000);
    const position = scale.show(place);
    expect(position).toBeCloseTo((place / last) * end, -1);
    expect(scale.scrolled(position)).toBeCloseTo(place, 3);
  });
  test("both ends are reached pixel by pixel", () => {
    const scale = make();
    for (const [from, way] of [
      [30_000, -1],
      [last - 30_000, 1],
    ] as const) {
      let position = scale.show(from);
      let place = from;
      for (let n = 0; n < 400; n++) {
        position = Math.min(end, Math.max(0, position + way * 100));
        place = scale.scrolled(position);
        if (scale.stuck(place)) position = scale.show(place);
      }
      expect(place).toBeCloseTo(way < 0 ? 0 : last, 3);
    }
  });
});

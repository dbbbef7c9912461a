import { expect, test } from "vitest";
import { dayOf, nameOfDay } from "./days";

const at = (...[month, date, hour = 12]: number[]) =>
  new Date(2026, month! - 1, date, hour);

test("day numbers grow, and each day lasts from midnight to midnight", () => {
  const days = [at(1, 31), at(2, 1), at(11, 30), at(12, 1)].map(dayOf);
  expect(days).toEqual([...new Set(days)].sort((a, b) => a - b));
  expect(dayOf(at(3, 5, 0))).toBe(dayOf(at(3, 5, 23)));
  expect(dayOf(at(3, 5, 23))).not.toBe(dayOf(at(3, 6, 0)));
});

test.each([
  [at(3, 1), "Today"],
  [at(2, 28), "Yesterday"],
  [at(2, 27), "Friday, February 27"],
  [new Date(2025, 11, 31), "Wednesday, December 31, 2025"],
])("the first of March calls %s %s", (date, name) => {
  expect(nameOfDay(dayOf(date), at(3, 1, 0))).toBe(name);
});

import { describe, expect, test } from "vitest";
import { justify } from "../gallery/layout";
import { step, topOf } from "../gallery/sheet";
import { tallest } from "../gallery/scrollScale";
import {
  above,
  below,
  Calendar,
  partAt,
  placesOf,
  scrolledTo,
  ticks,
  type Part,
} from "./places";

const places = placesOf([100, 300, 50]);

test("parts follow each other", () => {
  expect([...places]).toEqual([0, 100, 400, 450]);
  expect([...placesOf([])]).toEqual([0]);
});

test.each([
  [-5, 0],
  [0, 0],
  [99, 0],
  [100, 1],
  [399.5, 1],
  [400, 2],
  [9000, 2],
])("%d is in part %d", (at, part) => {
  expect(partAt(places, at)).toBe(part);
});

test("a part that was scrolled to is at the top, although browsers round", () => {
  const fractions = placesOf([100.7, 300.6, 50.5]);
  for (const part of [0, 1, 2])
    expect(scrolledTo(fractions, Math.floor(fractions[part]!))).toBe(part);
});

const box = { width: 1000, size: 200, gap: 4 };
const month = (start: string, count: number, ratio = 1.5): Part => ({
  start,
  count,
  rows: justify(new Float32Array(count).fill(ratio), box),
});

describe("a calendar", () => {
  const calendar = new Calendar([
    month("2026-03", 7),
    month("2026-02", 0),
    month("2026-01", 1),
    month("2025-12", 400),
  ]);
  test("contains every picture once, in rows below each other with room for the names of months", () => {
    const rows = [];
    for (let at = 0; at < calendar.count; at = rows.at(-1)!.to)
      rows.push(calendar.rowOf(at));
    expect(rows[0]).toMatchObject({ from: 0, top: above });
    expect(rows.at(-1)!.to).toBe(408);
    expect(
      calendar.height - rows.at(-1)!.top - rows.at(-1)!.height,
    ).toBeCloseTo(below, 1);
    for (const [n, row] of rows.entries()) {
      const next = rows[n + 1];
      if (next) expect(next.from).toBe(row.to);
      if (next && calendar.partOf(next.from) !== calendar.partOf(row.from))
        expect(next.top - row.top - row.height).toBeGreaterThan(
          above + below - 0.01,
        );
      for (const top of [row.top, row.top + row.height - 0.01])
        expect(calendar.rowAt(top).from).toBe(row.from);
      expect(calendar.rowOf(row.to - 1).from).toBe(row.from);
    }
  });
  test.each([
    ["above everything", -50, 0],
    ["in the name of the first month", 10, 0],
    ["in the name of the last month", "place 3", 8],
    ["in the name of an empty month", "place 1", 6],
    ["below everything", 9e9, 407],
  ] as const)("a place %s has a row", (_, at, from) => {
    const top =
      typeof at === "string" ? calendar.places[Number(at.slice(-1))]! + 1 : at;
    expect(calendar.rowAt(top).from).toBe(from);
  });
  test("keys move from month to month", () => {
    expect(step(calendar, 7, "ArrowUp", 500)).toBe(6);
    expect(step(calendar, 7, "ArrowDown", 500)).toBe(8);
  });
  test("a million pictures in a month have positions", () => {
    const one = new Calendar([month("2026-03", 1_000_000)]);
    expect(one.height).toBeGreaterThan(tallest);
    expect(one.rowAt(topOf(one, { index: 999_999, offset: 0 })).to).toBe(
      1_000_000,
    );
  });
});

describe("the view stays", () => {
  test("at the beginning of a month, when the one above it changes its height", () => {
    const two = (ratio: number) =>
      new Calendar([month("2026-03", 70, ratio), month("2026-01", 30)]);
    const [old, now] = [two(1.5), two(0.7)];
    const top = old.places[1]!;
    const row = old.rowAt(top);
    const place = { index: row.from, offset: top - row.top };
    expect(topOf(now, now.placeOf(old.anchorOf(place)))).toBeCloseTo(
      now.places[1]!,
    );
  });
  const before = new Calendar([
    month("2026-03", 7),
    month("2026-01", 30),
    month("2025-12", 400),
  ]);
  const anchor = before.anchorOf({ index: 7 + 20, offset: 12 });
  test("when it is identified by its month", () =>
    expect(anchor).toEqual({ start: "2026-01", index: 20, offset: 12 }));
  test.each([
    [
      "months above it change their heights",
      [month("2026-03", 7, 0.5), month("2026-01", 30), month("2025-12", 400)],
      27,
    ],
    [
      "a month comes above it",
      [month("2026-04", 100), month("2026-03", 7), month("2026-01", 30)],
      127,
    ],
    ["its month has become shorter", [month("2026-01", 5)], 4],
    ["its month is gone", [month("2026-03", 7), month("2025-12", 400)], 7],
    [
      "its month has become empty",
      [month("2026-03", 7), month("2026-01", 0), month("2025-12", 400)],
      7,
    ],
    ["all older ones are gone too", [month("2026-03", 7)], 6],
  ])("when %s", (_, parts, index) => {
    const now = new Calendar(parts);
    expect(now.placeOf(anchor)).toEqual({ index, offset: 12 });
    expect(now.rowAt(topOf(now, now.placeOf(anchor))).to).toBeGreaterThan(
      index,
    );
  });
});

test("labels of years do not repeat or overlap", () => {
  const months = ["2026-02", "2026-01", "2025-12", "2024-11"].map(
    (start, i) => ({
      start: `${start}-01T00:00:00Z`,
      count: [3, 100, 0, 100][i]!,
    }),
  );
  const four = placesOf([50, 50, 10, 890]);
  expect(ticks(months, four, 500, 16).map((tick) => tick.year)).toEqual([
    "2026",
    null,
    "2025",
    null,
  ]);
  expect(ticks(months, four, 5000, 16).map((tick) => tick.year)).toEqual([
    "2026",
    null,
    "2025",
    "2024",
  ]);
  const lengths = ticks(months, four, 500, 16).map((tick) => tick.length);
  expect(lengths[1]).toBe(1);
  expect(lengths[2]).toBe(0);
  expect(lengths[0]).toBeGreaterThan(0.25);
});

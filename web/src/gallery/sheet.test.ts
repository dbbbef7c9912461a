import { describe, expect, test } from "vitest";
import {
  heading,
  itemsIn,
  Justified,
  lines,
  placeAt,
  placed,
  rowsBetween,
  squares,
  step,
  topOf,
  type Row,
  type Shapes,
  type Sheet,
} from "./sheet";

const box = { width: 1440, size: 200, gap: 4 };
const some = [1.5, 0.67, 1.78, 1, 3.2, 0.2];
/** Shapes that are all known, or only those of the given sections. */
function shapes(count: number, known?: number[]): Shapes {
  const stamps = Uint32Array.from({ length: Math.ceil(count / 100) }, (_, s) =>
    !known || known.includes(s) ? 1 : 0,
  );
  return {
    count,
    ratios: Float32Array.from({ length: count }, (_, i) =>
      stamps[Math.floor(i / 100)] ? some[i % 6]! : 1.5,
    ),
    stamps,
  };
}
function allRows(sheet: Sheet): Row[] {
  const rows = [];
  for (let at = 0; at < sheet.count; at = rows.at(-1)!.to)
    rows.push(sheet.rowOf(at));
  return rows;
}

describe.each([
  ["squares", (n: number) => squares(n, box)],
  ["lines", (n: number) => lines(n, { width: 300, size: 44, gap: 0 })],
  ["a justified sheet", (n: number) => new Justified(shapes(n), box)],
  [
    "a justified sheet that is known in parts",
    (n: number) => new Justified(shapes(n, [1, 3]), box),
  ],
] as const)("%s", (_, make) => {
  test.each([1, 99, 100, 101, 730])(
    "of %i items: rows follow each other and contain every item once",
    (count) => {
      const sheet = make(count);
      const rows = allRows(sheet);
      expect(rows[0]).toMatchObject({ from: 0, top: 0 });
      expect(rows.at(-1)!.to).toBe(count);
      expect(rows.at(-1)!.top + rows.at(-1)!.height).toBeCloseTo(
        sheet.height,
        1,
      );
      for (const [n, row] of rows.entries()) {
        if (n) expect(row.from).toBe(rows[n - 1]!.to);
        if (n)
          expect(row.top).toBeGreaterThanOrEqual(
            rows[n - 1]!.top + rows[n - 1]!.height - 0.01,
          );
        for (const top of [row.top, row.top + row.height - 0.01])
          expect(sheet.rowAt(top).from).toBe(row.from);
        for (const index of [row.from, row.to - 1])
          expect(sheet.rowOf(index).from).toBe(row.from);
      }
      expect(sheet.rowAt(-50).from).toBe(0);
      expect(sheet.rowAt(sheet.height + 50).to).toBe(count);
    },
  );
});

test("of a million items only known and visible ones are laid out", () => {
  const list = shapes(1_000_000, [0, 5000]);
  const sheet = new Justified(list, box);
  expect(sheet.rowOf(999_999).to).toBe(1_000_000);
  expect(
    rowsBetween(sheet, sheet.height / 2, sheet.height / 2 + 900).length,
  ).toBeLessThan(8);
});

describe("a section that becomes known", () => {
  const list = shapes(1000, [0]);
  const before = new Justified(list, box);
  list.ratios.set(some, 500);
  list.stamps[5] = 7;
  const after = new Justified(list, box, before);
  test("shifts later sections as a whole, and no earlier ones", () => {
    for (const index of [0, 99, 100, 499, 500])
      expect(after.rowOf(index).top).toBe(before.rowOf(index).top);
    const [old, now] = [before.rowOf(600), after.rowOf(600)];
    expect(now.top).not.toBe(old.top);
    expect(after.rowOf(950).top - before.rowOf(950).top).toBeCloseTo(
      now.top - old.top,
      5,
    );
  });
  test("is laid out as if there had been no previous sheet", () => {
    const alone = new Justified(list, box);
    for (const index of [0, 300, 520, 600, 999])
      expect(after.rowOf(index)).toEqual(alone.rowOf(index));
  });
  test("is not confused with another list that has the same stamps", () => {
    const other = { ...list, ratios: new Float32Array(1000).fill(1) };
    expect(new Justified(other, box, after).height).toBe(
      new Justified(other, box).height,
    );
  });
});

describe("days", () => {
  // A new day with every seventh picture, except one day of 60 pictures that crosses the end of a section.
  const dayOf = (i: number) => (i >= 70 && i < 130 ? 70 : i - (i % 7)) + 1;
  const dated = (count: number, known?: number[]) => {
    const list = shapes(count, known);
    const days = Uint32Array.from({ length: count }, (_, i) =>
      list.stamps[Math.floor(i / 100)] ? dayOf(i) : 0,
    );
    return { ...list, days };
  };
  const begins = (i: number) => i === 0 || dayOf(i) !== dayOf(i - 1);
  test("begin a new row, with room for a heading above it", () => {
    const sheet = new Justified(dated(730), box);
    const rows = allRows(sheet);
    expect(rows[0]).toMatchObject({ from: 0, top: heading });
    for (const [n, row] of rows.entries()) {
      for (let i = row.from + 1; i < row.to; i++) expect(begins(i)).toBe(false);
      expect(sheet.dayAt(row.from)).toBe(
        begins(row.from) ? dayOf(row.from) : 0,
      );
      const end = n ? rows[n - 1]!.top + rows[n - 1]!.height + box.gap : 0;
      expect(row.top - end).toBeCloseTo(begins(row.from) ? heading : 0, 3);
      expect(row.height).toBeLessThan(box.size * 1.6);
      expect(sheet.rowAt(row.top + 1).from).toBe(row.from);
    }
    expect(rows.at(-1)!.top + rows.at(-1)!.height).toBeCloseTo(sheet.height, 1);
  });
  test.each([98, 99, 197, 399])(
    "that begin with item %i fill their first row",
    (first) => {
      const list = { ...shapes(730), days: new Uint32Array(730).fill(1) };
      list.days.fill(2, first);
      const rows = allRows(new Justified(list, box));
      const ends = rows.filter(({ to }) => to !== first && to !== 730);
      for (const { lefts, widths } of ends)
        expect(
          lefts[lefts.length - 1]! + widths[widths.length - 1]!,
        ).toBeCloseTo(box.width, 1);
      expect(rows.map(({ from }) => from)).toContain(first);
      expect(rows.at(-1)!.to).toBe(730);
    },
  );
  test("have no heading after unknown pictures until those are loaded", () => {
    const list = dated(730, [0, 3]);
    const before = new Justified(list, box);
    expect([before.dayAt(0), before.dayAt(300), before.dayAt(301)]).toEqual([
      dayOf(0),
      0,
      dayOf(301),
    ]);
    expect(begins(301)).toBe(true);
    const whole = dated(730, [0, 2, 3]);
    list.ratios.set(whole.ratios);
    list.days.set(whole.days);
    list.stamps[2] = 9;
    const after = new Justified(list, box, before);
    const alone = new Justified(list, box);
    for (const index of [0, 200, 294, 300, 301, 400, 729])
      expect(after.rowOf(index)).toEqual(alone.rowOf(index));
  });
});

describe("a restored position", () => {
  const list = shapes(1000);
  const whole = new Justified(list, box);
  // The first item of a row with a different start while nothing is known.
  const unknown = new Justified(shapes(1000, []), box);
  const row = allRows(whole).find(
    ({ from }) => from > 500 && unknown.rowOf(from).from !== from,
  )!;
  const place = { index: row.from, offset: -3 };
  test("is the same item when the shapes load", () => {
    const top = topOf(unknown, place);
    const seen = placeAt(unknown, top, place); // the event of the programmatic scroll
    expect(seen).toEqual(place);
    expect(topOf(whole, seen)).toBe(row.top - 3);
  });
  test("is a different item after scrolling", () => {
    const next = whole.rowOf(row.to);
    expect(placeAt(whole, next.top + 5, place)).toEqual({
      index: next.from,
      offset: 5,
    });
  });
  test("is the last item of a shortened list", () => {
    const short = new Justified(shapes(20), box);
    expect(
      placeAt(short, topOf(short, { ...place, offset: 2 }), place),
    ).toEqual({ index: short.rowOf(19).from, offset: 2 });
  });
});

test("items that do not move are reused", () => {
  const sheet = squares(100, box);
  const before = placed(sheet, { from: 10, to: 30 }, new Map(), 300);
  expect([...before.keys()]).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 10),
  );
  for (const item of before.values())
    expect(item).toMatchObject({
      left: sheet.rowOf(item.i).lefts[item.i - sheet.rowOf(item.i).from],
      top: sheet.rowOf(item.i).top,
      eager: item.top < 300,
    });
  const after = placed(sheet, { from: 25, to: 40 }, before, 9000);
  for (const i of [25, 29]) expect(after.get(i)).toBe(before.get(i));
  expect(after.get(35)).toMatchObject({ i: 35, eager: true });
  const wider = placed(
    squares(100, { ...box, width: 900 }),
    { from: 25, to: 40 },
    before,
    9000,
  );
  expect(wider.get(25)).not.toBe(before.get(25));
  expect(wider.get(25)!.eager).toBe(before.get(25)!.eager);
});

test("squares fill the width", () => {
  const sheet = squares(10, { width: 416, size: 100, gap: 4 });
  const row = sheet.rowOf(3);
  expect(row.lefts[3]! + row.widths[3]!).toBeCloseTo(416);
  expect(sheet.height).toBeCloseTo(3 * 101 + 8);
  expect(squares(0, box).height).toBe(0);
});

test("the window contains what touches it, and nothing else", () => {
  const sheet = lines(1000, { width: 300, size: 40, gap: 0 });
  const seen = (top: number, bottom: number) => {
    const rows = rowsBetween(sheet, top, bottom);
    return [rows[0]?.from, rows.at(-1)?.to];
  };
  expect(seen(0, 79)).toEqual([0, 2]);
  expect(seen(4000, 4399)).toEqual([100, 110]);
  expect(seen(39_990, 50_000)).toEqual([999, 1000]);
  expect(seen(50_000, 60_000)).toEqual([undefined, undefined]);
  expect(rowsBetween(lines(0, box), 0, 900)).toEqual([]);
});

describe("keys", () => {
  const sheet = squares(10, { width: 416, size: 100, gap: 4 }); // rows of four
  test.each([
    ["ArrowRight", 0, 1],
    ["ArrowRight", 9, 9],
    ["ArrowLeft", 0, 0],
    ["ArrowDown", 1, 5],
    ["ArrowDown", 7, 9],
    ["ArrowDown", 9, 9],
    ["ArrowUp", 9, 5],
    ["ArrowUp", 2, 2],
    ["Home", 7, 0],
    ["End", 0, 9],
    ["PageDown", 0, 8],
    ["PageUp", 9, 1],
    ["PageUp", 1, 1],
  ])("%s from %i leads to %i", (key, from, to) => {
    expect(step(sheet, from, key, 250)).toBe(to);
  });
  test("other keys do not move", () =>
    expect(step(sheet, 0, "a", 250)).toBeUndefined());
});

describe("a rectangle touches", () => {
  // Three columns of 100 with 10 between, rows of 100 with 10 between: items 0 1 2, 3 4 5, 6.
  const sheet = squares(7, { width: 320, size: 100, gap: 10 });
  test.each([
    {
      name: "one",
      area: { left: 20, right: 60, top: 20, bottom: 60 },
      items: [0],
    },
    {
      name: "a gap between columns",
      area: { left: 102, right: 108, top: 20, bottom: 60 },
      items: [],
    },
    {
      name: "a gap between rows",
      area: { left: 0, right: 320, top: 102, bottom: 108 },
      items: [],
    },
    {
      name: "two columns of two rows",
      area: { left: 50, right: 120, top: 50, bottom: 120 },
      items: [0, 1, 3, 4],
    },
    {
      name: "the end",
      area: { left: 50, right: 400, top: 200, bottom: 900 },
      items: [3, 4, 5, 6],
    },
    {
      name: "what is above everything",
      area: { left: 0, right: 320, top: -80, bottom: -10 },
      items: [],
    },
    {
      name: "what is below everything",
      area: { left: 0, right: 320, top: 600, bottom: 700 },
      items: [],
    },
  ])("$name", ({ area, items }) => {
    expect(itemsIn(sheet, area)).toEqual(items);
  });
});

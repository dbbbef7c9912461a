import { describe, expect, test } from "vitest";
import { clampRatio, justify, justifyAll } from "./layout";

const ratios = (n: number) =>
  Float32Array.from(
    { length: n },
    (_, i) => [1.5, 0.67, 1.78, 1, 3.2, 0.2][i % 6]!,
  );

describe("justify", () => {
  test.each([320, 900, 1440, 3840])(
    "rows fill a width of %i, keep ratios, and include every item",
    (width) => {
      const box = { width, size: 200, gap: 4 };
      const all = ratios(500);
      const rows = justify(all, box);
      expect(rows.starts[0]).toBe(0);
      expect(rows.starts.at(-1)).toBe(500);
      for (let r = 0; r < rows.tops.length; r++) {
        const [from, to] = [rows.starts[r]!, rows.starts[r + 1]!];
        expect(to).toBeGreaterThan(from);
        const right = rows.lefts[to - 1]! + rows.widths[to - 1]!;
        if (r < rows.tops.length - 1) {
          expect(right).toBeCloseTo(width, 1);
          expect(rows.tops[r + 1]).toBeCloseTo(
            rows.tops[r]! + rows.heights[r]! + 4,
            2,
          );
          expect(rows.heights[r]).toBeLessThan(320);
        } else expect(right).toBeLessThanOrEqual(width + 0.1);
        for (let i = from; i < to; i++)
          expect(rows.widths[i]! / rows.heights[r]!).toBeCloseTo(
            clampRatio(all[i]!),
            2,
          );
      }
      expect(rows.height).toBeCloseTo(
        rows.tops.at(-1)! + rows.heights.at(-1)!,
        2,
      );
    },
  );
  test("the last row is not stretched", () => {
    const rows = justify([1], { width: 1000, size: 200, gap: 4 });
    expect([rows.heights[0], rows.widths[0]]).toEqual([200, 200]);
  });
  test("an empty list has no rows", () => {
    expect(justify([], { width: 1000, size: 200, gap: 4 })).toMatchObject({
      height: 0,
    });
  });
  test("rows before a change keep their position", () => {
    const box = { width: 1200, size: 200, gap: 4 };
    const [few, many] = [justify(ratios(300), box), justify(ratios(400), box)];
    for (let r = 0; r < few.tops.length - 2; r++)
      expect(many.starts[r]).toBe(few.starts[r]);
  });
});

describe("justifyAll", () => {
  test.each([320, 900, 1440, 3840])(
    "every row fills a width of %i, and none is twice as high as wanted",
    (width) => {
      const box = { width, size: 200, gap: 4 };
      for (let n = 1; n <= 120; n++) {
        const all = ratios(n);
        const rows = justifyAll(all, box);
        expect(rows.starts.at(-1)).toBe(n);
        for (let r = 0; r < rows.tops.length; r++) {
          const [from, to] = [rows.starts[r]!, rows.starts[r + 1]!];
          expect(to).toBeGreaterThan(from);
          expect(rows.lefts[to - 1]! + rows.widths[to - 1]!).toBeCloseTo(
            width,
            1,
          );
          if (r)
            expect(rows.tops[r]).toBeCloseTo(
              rows.tops[r - 1]! + rows.heights[r - 1]! + 4,
              2,
            );
          if (n === 100) expect(rows.heights[r]).toBeLessThan(400);
        }
        expect(rows.height).toBeCloseTo(
          rows.tops.at(-1)! + rows.heights.at(-1)!,
          2,
        );
      }
    },
  );
});

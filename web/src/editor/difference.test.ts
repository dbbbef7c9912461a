import { describe, expect, test } from "vitest";
import { differenceOf, similarity, tilesOf, type Pixels } from "./difference";

/** A picture of one size with the pixels that `paint` returns. */
function picture(
  paint: (x: number, y: number) => [number, number, number, number?],
  width = 64,
  height = 48,
): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set(
        [...paint(x, y).slice(0, 3), paint(x, y)[3] ?? 255] as number[],
        4 * (y * width + x),
      );
  return { data, width, height };
}
const texture = (x: number, y: number): [number, number, number] => [
  (x * 37 + y * 17) % 256,
  (x * 11 + y * 53) % 256,
  (x * 7 + y * 29) % 256,
];
const noise =
  (by: number) =>
  (x: number, y: number): [number, number, number] =>
    texture(x, y).map(
      (value) => value + (((x * 7919 + y * 104729) % 3) - 1) * by,
    ) as [number, number, number];
const of = (a: Pixels, b: Pixels) => differenceOf([similarity(a, b)]);

describe("the difference", () => {
  const original = picture(texture);
  test("of a picture to itself is zero", () =>
    expect(of(original, picture(texture))).toEqual({
      verdict: "same",
      ssim: 1,
      worst: 1,
    }));
  test.each([
    [1, "none"],
    [8, "none"],
    [28, "slight"],
    [120, "clear"],
  ] as const)("of noise of %d is %s", (by, verdict) => {
    const found = of(original, picture(noise(by)));
    expect(found.verdict).toBe(verdict);
    expect(found.ssim).toBeLessThan(1);
  });
  test("grows with the noise", () => {
    const found = [1, 5, 10, 20, 40, 80].map(
      (by) => of(original, picture(noise(by))).ssim,
    );
    expect(found).toEqual([...found].sort((a, b) => b - a));
  });
  test("of noise is larger on a plain area than on texture", () => {
    const [plain, noisy] = [
      picture(() => [120, 120, 120]),
      picture(
        (x, y) =>
          noise(6)(x, y).map((value, i) => 120 + value - texture(x, y)[i]!) as [
            number,
            number,
            number,
          ],
      ),
    ];
    expect(of(plain, noisy).ssim).toBeLessThan(
      of(original, picture(noise(6))).ssim,
    );
  });
  test("detects a change in color alone", () =>
    expect(
      of(
        picture(() => [128, 128, 128]),
        picture(() => [228, 100, 10]),
      ).ssim,
    ).toBeLessThan(0.98));
  test("ignores the color of fully transparent pixels", () =>
    expect(
      of(
        picture(() => [255, 0, 0, 0]),
        picture(() => [0, 0, 255, 0]),
      ).verdict,
    ).toBe("same"));
  test("in one corner is reported although the mean hides it", () => {
    const found = of(
      original,
      picture((x, y) => (x < 16 && y < 24 ? [0, 0, 0] : texture(x, y))),
    );
    expect(found.verdict).toBe("clear");
  });
});

test.each([
  [{ width: 2, height: 1 }, 2, 2],
  [{ width: 900, height: 600 }, 9, 540_000],
  [{ width: 4000, height: 3000 }, 9, 9 * 384 * 384],
])("%j is compared in %d tiles", (size, count, area) => {
  const tiles = tilesOf(size);
  expect(tiles).toHaveLength(count);
  expect(tiles.reduce((sum, tile) => sum + tile.width * tile.height, 0)).toBe(
    area,
  );
  expect(
    tiles.every(
      ({ x, y, width, height }) =>
        x >= 0 &&
        y >= 0 &&
        x + width <= size.width &&
        y + height <= size.height,
    ),
  ).toBe(true);
});

import type { Size } from "./size";

/** Canvas pixels: red, green, blue and alpha of each, row by row. */
export type Pixels = Size & { data: Uint8ClampedArray };
/**
 * The structural similarity of each window of two pictures; 1 means identical. `same`: all pixels
 * are equal.
 */
export type Similarity = { windows: number[]; same: boolean };
/**
 * The visible difference: `same` is identical pixels, `none` and `slight` need a comparison side by
 * side, `clear` is visible at a glance.
 */
export type Verdict = "same" | "none" | "slight" | "clear";
/** `ssim` is the mean of all windows, `worst` their 5th percentile. */
export type Difference = { verdict: Verdict; ssim: number; worst: number };

const side = 8;
// The constants of Wang et al., "Image quality assessment: from error visibility to structural similarity" (2004), for 8 bits.
const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];
// Brightness dominates what an eye sees, but a difference in color alone is visible too.
const weights = [0.8, 0.1, 0.1] as const;

/**
 * Compares two pictures of the same size in windows of 8 × 8 pixels. Transparent pixels are blended
 * with gray.
 */
export function similarity(a: Pixels, b: Pixels): Similarity {
  const windows: number[] = [];
  let same = true;
  for (let y = 0; y < a.height; y += side) {
    for (let x = 0; x < a.width; x += side) {
      const [right, bottom] = [
        Math.min(a.width, x + side),
        Math.min(a.height, y + side),
      ];
      const [ssim, exact] = windowSimilarity(a, b, x, y, right, bottom);
      windows.push(ssim);
      same &&= exact;
    }
  }
  return { windows, same };
}

function windowSimilarity(
  a: Pixels,
  b: Pixels,
  left: number,
  top: number,
  right: number,
  bottom: number,
): [number, boolean] {
  // Sums of each plane: a, b, a², b², ab.
  const sums = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
  ];
  let exact = true;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = 4 * (y * a.width + x);
      const [one, two] = [planes(a.data, at), planes(b.data, at)];
      for (let i = 0; i < 3; i++) {
        const [p, q, s] = [one[i]!, two[i]!, sums[i]!];
        s[0]! += p;
        s[1]! += q;
        s[2]! += p * p;
        s[3]! += q * q;
        s[4]! += p * q;
        exact &&= p === q;
      }
    }
  }
  const n = (right - left) * (bottom - top);
  const ssim = sums.reduce(
    (total, s, i) => total + weights[i]! * ssimOf(s.map((sum) => sum / n)),
    0,
  );
  return [ssim, exact];
}

function ssimOf([ma, mb, maa, mbb, mab]: number[]): number {
  const [va, vb, cov] = [maa! - ma! * ma!, mbb! - mb! * mb!, mab! - ma! * mb!];
  return (
    ((2 * ma! * mb! + c1) * (2 * cov + c2)) /
    ((ma! * ma! + mb! * mb! + c1) * (va + vb + c2))
  );
}

// Luma and the two color differences (BT.601).
function planes(data: Uint8ClampedArray, at: number): [number, number, number] {
  const alpha = data[at + 3]! / 255;
  const on = (value: number) => value * alpha + 128 * (1 - alpha);
  const [r, g, b] = [on(data[at]!), on(data[at + 1]!), on(data[at + 2]!)];
  const luma = 0.299 * r + 0.587 * g + 0.114 * b;
  return [luma, 128 + 0.564 * (b - luma), 128 + 0.713 * (r - luma)];
}

/**
 * Combines tiles of a picture. `ssim` is the mean of all windows. The verdict also considers the
 * worst twentieth of them, so that a good sky does not hide a bad face. The thresholds correspond
 * to the server's quality of 80 and of 20 to 40 on photographs.
 */
export function differenceOf(parts: Similarity[]): Difference {
  const windows = parts.flatMap((part) => part.windows).sort((a, b) => a - b);
  if (parts.every((part) => part.same))
    return { verdict: "same", ssim: 1, worst: 1 };
  const ssim = windows.reduce((sum, value) => sum + value, 0) / windows.length;
  const worst = windows[Math.floor(windows.length / 20)]!;
  const verdict =
    ssim >= 0.97 && worst >= 0.9
      ? "none"
      : ssim >= 0.9 && worst >= 0.75
        ? "slight"
        : "clear";
  return { verdict, ssim, worst };
}

/** The tiles of a picture to compare at full size: all of a small picture, nine spread over a large one. */
export function tilesOf(
  { width, height }: Size,
  tile = 384,
): { x: number; y: number; width: number; height: number }[] {
  const along = (length: number) =>
    (length <= 3 * tile
      ? [0, 1, 2].map(
          (i) =>
            [
              Math.floor((i * length) / 3),
              Math.floor(((i + 1) * length) / 3),
            ] as const,
        )
      : [0, (length - tile) / 2, length - tile].map(
          (start) => [Math.floor(start), Math.floor(start) + tile] as const,
        )
    ).filter(([start, end]) => end > start);
  return along(height).flatMap(([y, bottom]) =>
    along(width).map(([x, right]) => ({
      x,
      y,
      width: right - x,
      height: bottom - y,
    })),
  );
}

import { describe, expect, test } from "vitest";
import { frameAt, frameDurations } from "./frames";

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) =>
      typeof part === "string"
        ? [...part].map((letter) => letter.charCodeAt(0))
        : part,
    ),
  );
const frame = (duration: number) =>
  [
    "ANMF",
    [17, 0, 0, 0],
    Array<number>(12).fill(0),
    [duration & 255, duration >> 8, 0, 0],
    [9],
    [0],
  ] as const;
const webp = (...durations: number[]) =>
  bytes(
    "RIFF",
    [0, 0, 0, 0],
    "WEBP",
    "VP8X",
    [3, 0, 0, 0],
    [1, 2, 3, 0],
    ...durations.flatMap((one) =>
      frame(one).map((part) => (typeof part === "string" ? part : [...part])),
    ),
  );

describe("durations", () => {
  test("match the frames; short frames last as long as browsers show them", () =>
    expect(frameDurations(webp(40, 300, 10, 0))).toEqual([40, 300, 100, 100]));
  test("are empty for anything else", () => {
    for (const other of [
      bytes(),
      bytes("RIFF"),
      bytes("GIF89a and more than that"),
      webp(),
    ])
      expect(frameDurations(other)).toEqual([]);
  });
  test("of a truncated file are those of its complete frames", () => {
    const whole = webp(40, 50);
    expect(frameDurations(whole.subarray(0, whole.length - 12))).toEqual([40]);
  });
  test("end at a chunk that extends beyond the end of the file", () =>
    expect(
      frameDurations(
        bytes(
          "RIFF",
          [0, 0, 0, 0],
          "WEBP",
          "VP8X",
          [255, 255, 255, 255],
          [1, 2],
        ),
      ),
    ).toEqual([]));
});

test.each([
  [[100, 100, 200], 3, 0, 1],
  [[100, 100, 200], 3, 99, 1],
  [[100, 100, 200], 3, 100, 2],
  [[100, 100, 200], 3, 399, 3],
  [[100, 100, 200], 3, 400, 1],
  [[100, 100, 200], 3, 550, 2],
  // Three frames that are equal are one in the file.
  [[300, 100], 4, 250, 3],
  [[300, 100], 4, 399, 4],
  [[], 3, 500, 1],
  [[100], 0, 50, 1],
])(
  "of %j, %d frames, after %d ms it is %d",
  (durations, frames, elapsed, shown) =>
    expect(frameAt(durations, frames, elapsed)).toBe(shown),
);

import { nameOfFilter, setFilter, addFilter, toneNames } from "./filters";
import type { Filter, Operations } from "./operations";
import { parse } from "./parse";

const isTone = (filter: Filter) =>
  toneNames.includes(nameOfFilter(filter.name)) && !filter.hidden;
const written = (filters: Filter[]) =>
  filters.map(({ name, args }) => `${name}(${args})`).join(":");

/** The document without filters that change light and color. */
export const withoutTone = (o: Operations): Operations => ({
  ...o,
  filters: o.filters.filter((filter) => !isTone(filter)),
});

/** The looks by name: each is an ordinary chain of filters. */
export const looks = {
  none: "",
  clear: "shadows(12):contrast(10):vibrance(28)",
  warm: "white_balance(8000,2):contrast(4):vibrance(12)",
  cold: "white_balance(5400):contrast(6):vibrance(-8)",
  faded: "curve(0,30,128,136,255,232):vibrance(-25)",
  film: "white_balance(7100,5):curve(0,14,64,58,192,204,255,244):vibrance(-14)",
  mono: "contrast(6):grayscale()",
  hard: "contrast(45):grayscale()",
  dusk: "white_balance(5700,18):exposure(-0.6):shadows(10):vibrance(18)",
} as const;
export type Look = keyof typeof looks;
export const lookNames = Object.keys(looks) as Look[];

const filtersOf = (chain: string): Filter[] =>
  chain ? (parse(`filters:${chain}/x`)?.operations.filters ?? []) : [];

/** The document with its tone filters replaced by those of a look. */
export function withLook(o: Operations, look: Look): Operations {
  return filtersOf(looks[look]).reduce(addFilter, withoutTone(o));
}

/** The look that the document uses; null if its tone filters match none. */
export function lookOf(o: Operations): Look | null {
  const now = written(o.filters.filter(isTone));
  return lookNames.find((name) => looks[name] === now) ?? null;
}

/** A proposed value for each filter, by name. */
export type Proposal = Record<
  "exposure" | "highlights" | "shadows" | "contrast",
  number
>;

const linear = (v: number) =>
  v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;

/**
 * Proposes values for a picture from its pixels before any tone filter. The midtone moves a third
 * of the way to that of most photographs, clipped ends are recovered, and a flat picture gets
 * contrast. Small corrections are omitted, so a good picture stays unchanged.
 */
export function propose(pixels: Uint8ClampedArray): Proposal {
  const counts = new Float64Array(256);
  let all = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3]! < 128) continue;
    const luma =
      0.2126 * pixels[i]! + 0.7152 * pixels[i + 1]! + 0.0722 * pixels[i + 2]!;
    counts[Math.round(luma)]! += 1;
    all++;
  }
  if (!all) return { exposure: 0, highlights: 0, shadows: 0, contrast: 0 };
  const at = (share: number) => {
    let seen = 0;
    const found = counts.findIndex((n) => (seen += n) >= share * all);
    return Math.max(found, 1) / 255;
  };
  const part = (counted: (light: number) => boolean) =>
    counts.reduce(
      (sum, n, v) => (counted(linear(v / 255)) ? sum + n : sum),
      0,
    ) / all;
  const [dark, middle, bright] = [at(0.01), at(0.5), at(0.99)];
  const toMiddle = Math.log2(linear(0.46) / linear(middle)) / 3;
  const stops = Math.min(Math.max(toMiddle, -0.7), 0.7);
  const exposure = Math.abs(stops) < 0.1 ? 0 : Math.round(stops * 20) / 20;
  const amount = (n: number, most: number) =>
    n < 5 ? 0 : Math.round(Math.min(n, most));
  const gain = Math.max(1, 2 ** exposure);
  const clipped = part((light) => light * gain >= linear(235 / 255));
  const black = part((light) => light < linear(32 / 255));
  return {
    exposure,
    highlights: 0 - amount(250 * clipped, 60),
    shadows: amount(110 * black, 45),
    contrast: amount(60 * (0.8 - (bright - dark)), 25),
  };
}

/** The document with the proposed values. */
export function withProposal(o: Operations, values: Proposal): Operations {
  return Object.entries(values).reduce(
    (now, [name, value]) => setFilter(now, name, value ? String(value) : null),
    o,
  );
}

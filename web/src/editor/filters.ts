import type { Filter, Operations } from "./operations";
import { splitArgs } from "./parse";

/** The filters that change light and color, in the order in which the editor adds them. */
export const toneNames = [
  "white_balance",
  "exposure",
  "highlights",
  "shadows",
  "brightness",
  "contrast",
  "curve",
  "vibrance",
  "saturation",
  "hue",
  "modulate",
  "rgb",
  "grayscale",
  "invert",
];
// The usual order of filters: a new one is inserted before all that come later here. Filters that a person has
// placed elsewhere stay there.
const order = [
  ["orient", "straighten", "focal", "dpi", "page", "upscale", "no_upscale"],
  toneNames,
  ["blur", "sharpen", "pixelate"],
  ["round_corner", "background_color", "fill", "padding"],
  ["rotate"],
  ["image", "text", "label", "watermark"],
  ["proportion", "trim"],
];
const aliases: Record<string, string> = {
  greyscale: "grayscale",
  fill_color: "fill",
};

/** The canonical name of a filter. */
export const nameOfFilter = (name: string) => aliases[name] ?? name;
const rank = (name: string) => {
  const found = order.findIndex((names) => names.includes(nameOfFilter(name)));
  const within = toneNames.indexOf(nameOfFilter(name)) / toneNames.length;
  return found < 0 ? order.length : found + Math.max(within, 0);
};

/** The index of the last visible filter of that name; -1 if there is none. */
export const findFilter = (o: Operations, name: string) =>
  o.filters.findLastIndex(
    (filter) => nameOfFilter(filter.name) === name && !filter.hidden,
  );

/** The arguments of a filter; null if the document does not have it. */
export function argsOf(o: Operations, name: string): string[] | null {
  const at = findFilter(o, name);
  return at < 0 ? null : splitArgs(o.filters[at]!.args);
}

/** One numeric argument of a filter, or `otherwise` if the filter is absent. */
export function numberOf(
  o: Operations,
  name: string,
  place = 0,
  otherwise = 0,
): number {
  const text = argsOf(o, name)?.[place];
  const number = Number(text);
  return text === undefined || text === "" || Number.isNaN(number)
    ? otherwise
    : number;
}

/** Sets the arguments of a filter, adding it at its usual place; null removes it. */
export function setFilter(
  o: Operations,
  name: string,
  args: string | null,
): Operations {
  const at = findFilter(o, name);
  if (args === null)
    return at < 0
      ? o
      : {
          ...o,
          filters: o.filters.filter(
            (filter) => nameOfFilter(filter.name) !== name || filter.hidden,
          ),
        };
  if (at >= 0)
    return { ...o, filters: o.filters.with(at, { ...o.filters[at]!, args }) };
  return addFilter(o, { name, args });
}

/** Adds a filter at its usual place, after others of the same name. */
export function addFilter(o: Operations, filter: Filter): Operations {
  const before = o.filters.findIndex(
    (one) => rank(one.name) > rank(filter.name),
  );
  return {
    ...o,
    filters: o.filters.toSpliced(
      before < 0 ? o.filters.length : before,
      0,
      filter,
    ),
  };
}

/** A slider for one argument of a filter. When all arguments are `neutral`, the filter is removed. */
export type Slide = {
  name: string;
  label: string;
  place: number;
  neutral: readonly number[];
  min: number;
  max: number;
  step: number;
};
const slide = (
  label: string,
  min: number,
  max: number,
  step = 1,
  name = label,
  place = 0,
  neutral = [0],
): Slide => ({ name, label, place, neutral, min, max, step });

export const light = [
  slide("exposure", -5, 5, 0.05),
  slide("highlights", -100, 100),
  slide("shadows", -100, 100),
  slide("contrast", -100, 100),
  slide("brightness", -100, 100),
];
const daylight = [6500, 0];
export const whiteBalance = [
  slide("temperature", 2000, 12000, 50, "white_balance", 0, daylight),
  slide("tint", -100, 100, 1, "white_balance", 1, daylight),
];
export const colors = [
  slide("vibrance", -100, 100),
  slide("saturation", -100, 100),
  slide("hue", -180, 180),
];
export const channels = ["red", "green", "blue"].map((label, place) =>
  slide(label, -100, 100, 1, "rgb", place, [0, 0, 0]),
);
export const details = [
  slide("blur", 0, 50, 0.5),
  slide("sharpen", 0, 10, 0.1),
  slide("pixelate", 0, 100),
];

/** The value of a slider. */
export const slideOf = (o: Operations, s: Slide) =>
  numberOf(o, s.name, s.place, s.neutral[s.place]);

/** Moves a slider: sets the argument, and removes the filter when all arguments are neutral. */
export function setSlide(o: Operations, s: Slide, value: number): Operations {
  const numbers = s.neutral.map((neutral, i) =>
    i === s.place ? value : numberOf(o, s.name, i, neutral),
  );
  return setFilter(
    o,
    s.name,
    numbers.every((n, i) => n === s.neutral[i]) ? null : numbers.join(","),
  );
}

/** The rotation of the result, counter-clockwise: 0, 90, 180 or 270. */
export const turned = (o: Operations) =>
  ((numberOf(o, "rotate") % 360) + 360) % 360;

/** Turns the result by quarters, clockwise for 1. The filter itself counts counter-clockwise. */
export function turn(o: Operations, quarters: number): Operations {
  const angle = (((turned(o) - quarters * 90) % 360) + 360) % 360;
  return setFilter(o, "rotate", angle ? String(angle) : null);
}

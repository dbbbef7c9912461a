import { parseLayer, splitArgs } from "./parse";

/** A filter as the URL has it. A hidden one stays in the document and is left out of the URL; a locked layer is not moved or changed. */
export type Filter = {
  name: string;
  args: string;
  hidden?: true;
  locked?: true;
};
/** A region of the source: pixels, or fractions when all four are at most 1. A right or bottom of 0 is the edge. */
export type Crop = { left: number; top: number; right: number; bottom: number };
export type Padding = {
  left: number;
  top: number;
  right: number;
  bottom: number;
};
export type Fit =
  "" | "fit-in" | "full-fit-in" | "adaptive-fit-in" | "adaptive-full-fit-in";

/** What an image URL asks for: the editor's document. Everything that the editor shows is read from it. */
export type Operations = {
  /** The whole segment, such as `trim:bottom-right:20`; empty without one. */
  trim: string;
  crop: Crop | null;
  fit: Fit;
  stretch: boolean;
  /** In pixels; 0: from the ratio. */
  width: number;
  height: number;
  /** In a layer: the side is the parent's, less so many pixels. */
  fullWidth?: number;
  fullHeight?: number;
  /** In a layer: the side is so many percent of the parent's. */
  percentWidth?: number;
  percentHeight?: number;
  hFlip: boolean;
  vFlip: boolean;
  padding: Padding;
  hAlign: "" | "left" | "center" | "right";
  vAlign: "" | "top" | "middle" | "bottom";
  smart: boolean;
  filters: Filter[];
};

const none: Padding = { left: 0, top: 0, right: 0, bottom: 0 };

/** No operation at all: the picture as it is. */
export function nothing(): Operations {
  return {
    trim: "",
    crop: null,
    fit: "",
    stretch: false,
    width: 0,
    height: 0,
    hFlip: false,
    vFlip: false,
    padding: none,
    hAlign: "",
    vAlign: "",
    smart: false,
    filters: [],
  };
}

/**
 * The operations as a part of a URL, with a final slash; empty when nothing is asked. `all` writes the document instead: hidden
 * filters too, marked by a leading `-`, and locked ones, marked by `_`. `parse` reads both.
 */
export function format(o: Operations, all = false): string {
  const parts: string[] = [];
  if (o.trim) parts.push(o.trim);
  if (o.crop)
    parts.push(`${o.crop.left}x${o.crop.top}:${o.crop.right}x${o.crop.bottom}`);
  if (o.fit) parts.push(o.fit);
  if (o.stretch) parts.push("stretch");
  const { left, top, right, bottom } = o.padding;
  const padded = left || top || right || bottom;
  const sized = o.width || o.height || followsParent(o);
  if (sized || o.hFlip || o.vFlip || padded)
    parts.push(
      `${o.hFlip ? "-" : ""}${side(o.width, o.fullWidth, o.percentWidth)}x${o.vFlip ? "-" : ""}${side(o.height, o.fullHeight, o.percentHeight)}`,
    );
  if (padded)
    parts.push(
      left === right && top === bottom
        ? `${left}x${top}`
        : `${left}x${top}:${right}x${bottom}`,
    );
  if (o.hAlign) parts.push(o.hAlign);
  if (o.vAlign) parts.push(o.vAlign);
  if (o.smart) parts.push("smart");
  const filters = o.filters.filter((filter) => all || !filter.hidden);
  if (filters.length)
    parts.push(
      `filters:${filters.map((filter) => (all ? marked(filter) : `${filter.name}(${sentArgs(filter)})`)).join(":")}`,
    );
  return parts.map((part) => `${part}/`).join("");
}

/** Whether a side depends on that of the picture below. */
export const followsParent = (o: Operations): boolean =>
  [o.fullWidth, o.fullHeight, o.percentWidth, o.percentHeight].some(
    (side) => side !== undefined,
  );

/** What to set so that a side is in pixels or the picture's own. */
export const plainWidth = { fullWidth: undefined, percentWidth: undefined };
export const plainHeight = { fullHeight: undefined, percentHeight: undefined };

function side(pixels: number, less?: number, percent?: number): string {
  if (percent !== undefined) return `${percent}p`;
  if (less === undefined) return String(pixels);
  return `f${less ? (less > 0 ? `-${less}` : `+${-less}`) : ""}`;
}
const marked = ({ name, args, hidden, locked }: Filter) =>
  `${hidden ? "-" : ""}${locked ? "_" : ""}${name}(${args})`;

/** The arguments as the server gets them: without what is hidden within a layer. */
export function sentArgs({ name, args }: Filter): string {
  if (name !== "image" || !/:[-_]/.test(args)) return args;
  const [path, ...rest] = splitArgs(args);
  const inner = parseLayer(path ?? "");
  return inner
    ? [format(inner.operations) + inner.image, ...rest].join(",")
    : args;
}

/** Whether two documents are the same, with what is hidden and locked in them. */
export const same = (a: Operations, b: Operations) =>
  format(a, true) === format(b, true);

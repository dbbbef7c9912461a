/**
 * A filter as the URL has it. A hidden one stays in the document and is left out of the URL; a locked layer is not
 * moved or changed.
 */
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
  /** In a layer: the side is this percentage of the parent's. */
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

/** Whether a side depends on the parent's. */
export const followsParent = (o: Operations): boolean =>
  [o.fullWidth, o.fullHeight, o.percentWidth, o.percentHeight].some(
    (side) => side !== undefined,
  );

/** Spread into a document, so that its width or its height does not depend on the parent. */
export const plainWidth = { fullWidth: undefined, percentWidth: undefined };
export const plainHeight = { fullHeight: undefined, percentHeight: undefined };

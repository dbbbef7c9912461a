/**
 * A filter as in the URL. A hidden filter stays in the document, but not in the URL; a locked layer
 * cannot be moved or changed.
 */
export type Filter = {
  name: string;
  args: string;
  hidden?: true;
  locked?: true;
};
/**
 * A region of the source: pixels, or fractions if all four are at most 1. A right or bottom of 0
 * means the picture's edge.
 */
export type Crop = { left: number; top: number; right: number; bottom: number };
export type Padding = {
  left: number;
  top: number;
  right: number;
  bottom: number;
};
export type Fit =
  "" | "fit-in" | "full-fit-in" | "adaptive-fit-in" | "adaptive-full-fit-in";

/**
 * The operations of an image URL, which are the editor's document. Everything that the editor shows
 * is derived from it.
 */
export type Operations = {
  /** The whole segment, such as `trim:bottom-right:20`; empty if the picture is not trimmed. */
  trim: string;
  crop: Crop | null;
  fit: Fit;
  stretch: boolean;
  /** In pixels; 0 to follow from the aspect ratio. */
  width: number;
  height: number;
  /** In a layer: the side is the parent's, minus this many pixels. */
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

/** A document without operations. */
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

/** Whether a side depends on the parent's size. */
export const followsParent = (o: Operations): boolean =>
  [o.fullWidth, o.fullHeight, o.percentWidth, o.percentHeight].some(
    (side) => side !== undefined,
  );

/** Spread into a document to make its width independent of the parent's. */
export const plainWidth = { fullWidth: undefined, percentWidth: undefined };
export const plainHeight = { fullHeight: undefined, percentHeight: undefined };

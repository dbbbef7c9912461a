import type { Box } from "./crop";
import { turned } from "./filters";
import type { Operations } from "./operations";
import type { Size } from "./size";

/** How a picture is displayed: mirrored first, then turned by quarters. */
export type View = {
  /** Whether width and height are swapped. */
  sideways: boolean;
  /** The CSS transform for this view. */
  transform: string;
  /** The size of the picture as displayed. */
  sizeOf: (picture: Size) => Size;
  /** Converts a box on the picture to its position as displayed. */
  seen: (box: Box, picture: Size) => Box;
  /** Converts a displayed box to its position on the picture: the inverse of `seen`. */
  stored: (box: Box, picture: Size) => Box;
};

/** The view of a document's result, from its mirroring and quarter turns. */
export function viewOf(o: Operations): View {
  const angle = turned(o); // counter-clockwise
  const quarters = angle % 90 ? 0 : angle / 90;
  const sideways = quarters % 2 === 1;
  const sizeOf = (picture: Size) => (sideways ? upended(picture) : picture);
  const mirrorBox = (box: Box, on: Size): Box => ({
    ...box,
    x: o.hFlip ? on.width - box.x - box.width : box.x,
    y: o.vFlip ? on.height - box.y - box.height : box.y,
  });
  return {
    sideways,
    transform: `rotate(${-angle}deg) scale(${o.hFlip ? -1 : 1}, ${o.vFlip ? -1 : 1})`,
    sizeOf,
    seen: (box, picture) => turnBox(mirrorBox(box, picture), picture, quarters),
    stored: (box, picture) =>
      mirrorBox(turnBox(box, sizeOf(picture), (4 - quarters) % 4), picture),
  };
}

const upended = ({ width, height }: Size): Size => ({
  width: height,
  height: width,
});

/** The position of a box after turning the picture counter-clockwise by `quarters`. */
function turnBox(box: Box, picture: Size, quarters: number): Box {
  if (!quarters) return box;
  const next = {
    x: box.y,
    y: picture.width - box.x - box.width,
    ...upended(box),
  };
  return turnBox(next, upended(picture), quarters - 1);
}

/** Mirrors the result as displayed, left to right if `across`, else top to bottom. */
export function mirror(o: Operations, across: boolean): Operations {
  return mirrors(o, across) === "hFlip"
    ? { ...o, hFlip: !o.hFlip }
    : { ...o, vFlip: !o.vFlip };
}

/** Whether the result is mirrored as displayed, left to right if `across`, else top to bottom. */
export const mirrored = (o: Operations, across: boolean): boolean =>
  o[mirrors(o, across)];

// The server mirrors before it turns.
const mirrors = (o: Operations, across: boolean) =>
  across !== viewOf(o).sideways ? "hFlip" : "vFlip";

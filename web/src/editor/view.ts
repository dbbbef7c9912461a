import type { Box } from "./crop";
import { turned } from "./filters";
import type { Operations } from "./operations";
import type { Size } from "./size";

/** How a picture is seen that is mirrored, and then turned by quarters. */
export type View = {
  /** Its sides are swapped. */
  sideways: boolean;
  /** The same for CSS. */
  transform: string;
  /** The size of the picture as it is seen. */
  sizeOf: (picture: Size) => Size;
  /** Where a box on the picture is seen. */
  seen: (box: Box, picture: Size) => Box;
  /** The box on the picture that is seen as this one. */
  stored: (box: Box, picture: Size) => Box;
};

/** How the result of a document is seen, from its mirroring and its quarter turns. */
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

/** Where a box is when the picture has been turned counter-clockwise by so many quarters. */
function turnBox(box: Box, picture: Size, quarters: number): Box {
  if (!quarters) return box;
  const next = {
    x: box.y,
    y: picture.width - box.x - box.width,
    ...upended(box),
  };
  return turnBox(next, upended(picture), quarters - 1);
}

/** Mirrors the result as it is seen, left to right or top to bottom. */
export function mirror(o: Operations, across: boolean): Operations {
  return mirrors(o, across) === "hFlip"
    ? { ...o, hFlip: !o.hFlip }
    : { ...o, vFlip: !o.vFlip };
}

/** Whether the result is mirrored as it is seen, left to right or top to bottom. */
export const mirrored = (o: Operations, across: boolean): boolean =>
  o[mirrors(o, across)];

// A picture is mirrored before it is turned.
const mirrors = (o: Operations, across: boolean) =>
  across !== viewOf(o).sideways ? "hFlip" : "vFlip";

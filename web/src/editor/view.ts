import { turned } from "./filters";
import type { Operations } from "./operations";

/** How a picture is seen that is mirrored, and then turned by quarters. */
export type View = {
  /** Its sides are swapped. */
  sideways: boolean;
  /** Its diagonals are swapped. */
  crossed: boolean;
  /** The same for CSS. */
  transform: string;
  /** What a movement on the screen is on the picture. */
  moved: (x: number, y: number) => [number, number];
};

/** How the result of a document is seen, from its mirroring and its quarter turns. */
export function viewOf(o: Operations): View {
  const [flipX, flipY] = [o.hFlip ? -1 : 1, o.vFlip ? -1 : 1];
  const angle = turned(o); // counter-clockwise
  const sideways = angle % 180 === 90;
  return {
    sideways,
    crossed: sideways !== (flipX !== flipY),
    transform: `rotate(${-angle}deg) scale(${flipX}, ${flipY})`,
    moved(x, y) {
      for (let quarter = 0; quarter < angle / 90; quarter++) [x, y] = [-y, x];
      return [x * flipX, y * flipY];
    },
  };
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

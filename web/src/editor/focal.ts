import { clamp } from "./crop";
import { argsOf, setFilter } from "./filters";
import type { Operations } from "./operations";
import { oriented, type Size } from "./size";

export type Point = { x: number; y: number };

/**
 * The focal point as fractions of the picture: the center of its region. Null if there is none that
 * can be parsed.
 */
export function focalOf(o: Operations, source: Size): Point | null {
  const text = argsOf(o, "focal")?.join(",");
  const numbers = text?.split(/[x:,]/).map(Number) ?? [];
  if (
    !text ||
    numbers.some(Number.isNaN) ||
    (numbers.length !== 2 && numbers.length !== 4)
  )
    return null;
  const [x, y, right = x, bottom = y] = numbers as [
    number,
    number,
    number?,
    number?,
  ];
  const picture = numbers.every((n) => n <= 1)
    ? { width: 1, height: 1 }
    : oriented(o, source);
  return {
    x: inside((x + right) / 2 / picture.width),
    y: inside((y + bottom) / 2 / picture.height),
  };
}

/** Sets the focal point, and removes other settings that choose the visible part. */
export function setFocal(o: Operations, { x, y }: Point): Operations {
  const text = (n: number) => String(Math.round(inside(n) * 1000) / 1000);
  return setFilter(
    { ...o, smart: false, hAlign: "", vAlign: "" },
    "focal",
    `${text(x)},${text(y)}`,
  );
}

const inside = (n: number) => clamp(n, 0, 1);

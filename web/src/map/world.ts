import packed from "./world.json";

/** The outlines of the earth, in units of which the world is `units` wide. */
export type World = {
  units: number;
  land: Path2D;
  borders: Path2D;
  /** Countries, largest first, with the center and the approximate width of each. */
  names: readonly { code: string; x: number; y: number; wide: number }[];
};

// Decodes a flat array of lines: the number of points, then the offset from each point to the next.
function unpack(numbers: readonly number[], close: boolean): Path2D {
  const path = new Path2D();
  for (let i = 0; i < numbers.length;) {
    let [x, y] = [0, 0];
    const points = numbers[i++]!;
    for (let n = 0; n < points; n++) {
      x += numbers[i++]!;
      y += numbers[i++]!;
      if (n) path.lineTo(x, y);
      else path.moveTo(x, y);
    }
    if (close) path.closePath();
  }
  return path;
}

export const world: World = {
  units: packed.units,
  land: unpack(packed.land, true),
  borders: unpack(packed.borders, false),
  names: (packed.names as [string, number, number, number][]).map(
    ([code, x, y, wide]) => ({ code, x, y, wide }),
  ),
};

/** An aspect ratio for a crop, width / height. 0 is free; in the list, -1 is the picture's own. */
export type Ratio = { name: string; value: number };

export const free: Ratio = { name: "free", value: 0 };

export const ratios: readonly Ratio[] = [
  free,
  { name: "own", value: -1 },
  { name: "1:1", value: 1 },
  { name: "4:3", value: 4 / 3 },
  { name: "3:2", value: 3 / 2 },
  { name: "16:9", value: 16 / 9 },
  { name: "3:4", value: 3 / 4 },
  { name: "4:5", value: 4 / 5 },
  { name: "2:3", value: 2 / 3 },
  { name: "9:16", value: 9 / 16 },
];

/** The ratio of the same crop after a quarter turn. The picture's own ratio stays unchanged. */
export function upended({ name, value }: Ratio): Ratio {
  const turned = name === "own" ? name : name.split(":").reverse().join(":");
  return { name: turned, value: 1 / value };
}

/** Ratios that a crop can be held to, width / height. 0 is free, -1 the picture's own. */
export const ratios = [
  { name: "free", value: 0 },
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

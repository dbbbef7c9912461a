/** One axis of a layer's position, as the server reads it. */
type Place = { from: "start" | "center" | "end"; offset: number };

const edges: Record<string, Place["from"]> = {
  left: "start",
  l: "start",
  top: "start",
  t: "start",
  center: "center",
  centre: "center",
  middle: "center",
  right: "end",
  r: "end",
  bottom: "end",
  b: "end",
};

/** Reads a position on a side of so many pixels; null for what is no position (or repeats). */
export function readPosition(text: string, parent: number): Place | null {
  const found = /^([a-z]+)([+-]\d+)?$/i.exec(text);
  if (found) {
    const from = edges[found[1]!.toLowerCase()];
    if (!from) return null;
    const offset = Number(found[2] ?? 0);
    // An offset of the far edge points outward: right-20 is 20 pixels beyond it.
    return { from, offset: from === "end" ? -offset : offset };
  }
  const percent = /^(-?\d*\.?\d+)p$/.exec(text);
  const number = percent ? (Number(percent[1]) / 100) * parent : Number(text);
  if (text === "" || Number.isNaN(number)) return null;
  const pixels = Math.round(
    !percent && text.includes(".") && Math.abs(number) <= 1
      ? number * parent
      : number,
  );
  return pixels < 0
    ? { from: "end", offset: pixels }
    : { from: "start", offset: pixels };
}

/** Writes a position, in the shortest way that the URL has for it. */
export function writePosition(
  { from, offset }: Place,
  vertical: boolean,
): string {
  if (from === "center")
    return offset ? `center${offset > 0 ? "+" : ""}${offset}` : "center";
  if (from === "start")
    return offset >= 0
      ? String(offset)
      : `${vertical ? "top" : "left"}${offset}`;
  return offset < 0
    ? String(offset)
    : `${vertical ? "bottom" : "right"}${offset ? -offset : ""}`;
}

/** The position moved by so many pixels. What cannot be moved stays. */
export function movePosition(
  text: string,
  by: number,
  parent: number,
  vertical: boolean,
): string {
  const place = readPosition(text, parent);
  return place
    ? writePosition(
        { ...place, offset: place.offset + Math.round(by) },
        vertical,
      )
    : text;
}

/** Where something of that length starts on its parent's side, in pixels. */
export function startOf(text: string, length: number, parent: number): number {
  const place = readPosition(text, parent);
  if (!place) return 0;
  if (place.from === "start") return place.offset;
  return (
    (place.from === "center"
      ? Math.trunc((parent - length) / 2)
      : parent - length) + place.offset
  );
}

/**
 * One axis of a layer's position, as the server reads it: the distance in pixels from an edge or the center of the
 * parent, and whether the URL has it in percent of the parent.
 */
type Place = {
  from: "start" | "center" | "end";
  offset: number;
  percent: boolean;
};

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
  const found = /^([a-z]+)(?:([+-]\d+)|([+-]\d*\.?\d+)p)?$/i.exec(text);
  if (found) {
    const from = edges[found[1]!.toLowerCase()];
    if (!from) return null;
    const offset =
      found[3] === undefined
        ? Number(found[2] ?? 0)
        : (Number(found[3]) / 100) * parent;
    // An offset of the far edge points outward: right-20 is 20 pixels beyond it.
    return {
      from,
      offset: from === "end" ? 0 - offset : offset,
      percent: found[2] === undefined,
    };
  }
  const percent = /^(-?\d*\.?\d+)p$/.exec(text);
  const number = percent ? Number(percent[1]) / 100 : Number(text);
  if (text === "" || Number.isNaN(number)) return null;
  const share =
    percent !== null || (text.includes(".") && Math.abs(number) <= 1);
  const offset = share ? number * parent : Math.round(number);
  return {
    from: offset < 0 ? "end" : "start",
    offset,
    percent: share || offset === 0,
  };
}

/** A length in percent of a side. Two decimals, as in the URL, are precise to a pixel. */
export const percentOf = (pixels: number, parent: number): number =>
  Math.round((pixels / parent) * 10_000) / 100;

/** Writes a position on a side of that many pixels, in the shortest form that the URL has for it. */
function writePosition(
  { from, offset, percent }: Place,
  parent: number,
  vertical: boolean,
): string {
  const value = percent ? percentOf(offset, parent) : Math.round(offset);
  const unit = percent && value ? "p" : "";
  if (from === "center")
    return value ? `center${value > 0 ? "+" : ""}${value}${unit}` : "center";
  if (from === "start")
    return value >= 0
      ? `${value}${unit}`
      : `${vertical ? "top" : "left"}${value}${unit}`;
  if (value < 0) return `${value}${unit}`;
  return `${vertical ? "bottom" : "right"}${value ? `${-value}${unit}` : ""}`;
}

/**
 * The position moved by that many pixels, in percent unless it was written in pixels. A position that cannot be read
 * stays.
 */
export function movePosition(
  text: string,
  by: number,
  parent: number,
  vertical: boolean,
): string {
  const place = readPosition(text, parent);
  if (!place) return text;
  const moved = { ...place, offset: place.offset + by };
  return writePosition(moved, parent, vertical);
}

/**
 * Rewrites the position of something of that length relative to the nearest edge or the center of the parent, so that
 * it stays there when sizes change. A position in pixels stays as it is.
 */
export function anchored(
  text: string,
  length: number,
  parent: number,
  vertical: boolean,
): string {
  const place = readPosition(text, parent);
  if (!place?.percent) return text;
  const start = startOf(text, length, parent);
  const middle = start + length / 2;
  const at = middle / parent;
  const from = at < 1 / 3 ? "start" : at > 2 / 3 ? "end" : "center";
  const offset = {
    start,
    center: middle - parent / 2,
    end: start + length - parent,
  }[from];
  return writePosition({ from, offset, percent: true }, parent, vertical);
}

/** The position in another unit. */
export function inUnit(
  text: string,
  percent: boolean,
  parent: number,
  vertical: boolean,
): string {
  const place = readPosition(text, parent);
  return place ? writePosition({ ...place, percent }, parent, vertical) : text;
}

/** Where something of that length starts on its parent's side, in pixels. */
export function startOf(text: string, length: number, parent: number): number {
  const place = readPosition(text, parent);
  if (!place) return 0;
  const offset = Math.round(place.offset);
  if (place.from === "start") return offset;
  return (
    (place.from === "center"
      ? Math.trunc((parent - length) / 2)
      : parent - length) + offset
  );
}

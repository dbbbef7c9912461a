/**
 * One axis of a layer's position, as the server parses it: the distance in pixels from an edge or
 * the center of the parent, and whether the URL writes it in percent of the parent.
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

/** Parses a position on a side of `parent` pixels; null if it is invalid or repeats. */
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

/** A length in percent of a side. Two decimals, as in the URL, are accurate to a pixel. */
export const percentOf = (pixels: number, parent: number): number =>
  Math.round((pixels / parent) * 10_000) / 100;

/** Formats a position on a side of `parent` pixels, in the URL's shortest form. */
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
 * The position moved by some pixels, in percent unless it was in pixels. A position that cannot be
 * parsed stays unchanged.
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
 * Rewrites a position relative to the nearest edge or the center of the parent, so that it stays
 * there when sizes change. `length` is the size of the positioned item. A position in pixels stays
 * unchanged.
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

/** The position converted to another unit. */
export function inUnit(
  text: string,
  percent: boolean,
  parent: number,
  vertical: boolean,
): string {
  const place = readPosition(text, parent);
  return place ? writePosition({ ...place, percent }, parent, vertical) : text;
}

/** The start of an item of that length on its parent's side, in pixels. */
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

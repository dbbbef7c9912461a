import { followsParent, type Filter, type Operations } from "./operations";
import { parseLayer, splitArgs } from "./parse";

/**
 * The operations as a part of a URL, with a final slash; empty when there are none. `all` writes
 * the whole document instead, including hidden filters, marked by a leading `-`, and locked ones,
 * marked by `_`. `parse` reads both forms.
 */
export function format(o: Operations, all = false): string {
  const parts: string[] = [];
  if (o.trim) parts.push(o.trim);
  if (o.crop)
    parts.push(`${o.crop.left}x${o.crop.top}:${o.crop.right}x${o.crop.bottom}`);
  if (o.fit) parts.push(o.fit);
  if (o.stretch) parts.push("stretch");
  const { left, top, right, bottom } = o.padding;
  const padded = left || top || right || bottom;
  const sized = o.width || o.height || followsParent(o);
  if (sized || o.hFlip || o.vFlip || padded)
    parts.push(
      `${o.hFlip ? "-" : ""}${side(o.width, o.fullWidth, o.percentWidth)}x${o.vFlip ? "-" : ""}${side(o.height, o.fullHeight, o.percentHeight)}`,
    );
  if (padded)
    parts.push(
      left === right && top === bottom
        ? `${left}x${top}`
        : `${left}x${top}:${right}x${bottom}`,
    );
  if (o.hAlign) parts.push(o.hAlign);
  if (o.vAlign) parts.push(o.vAlign);
  if (o.smart) parts.push("smart");
  const filters = o.filters.filter((filter) => all || !filter.hidden);
  if (filters.length)
    parts.push(
      `filters:${filters.map((filter) => (all ? marked(filter) : `${filter.name}(${sentArgs(filter)})`)).join(":")}`,
    );
  return parts.map((part) => `${part}/`).join("");
}

function side(pixels: number, less?: number, percent?: number): string {
  if (percent !== undefined) return `${percent}p`;
  if (less === undefined) return String(pixels);
  return `f${less ? (less > 0 ? `-${less}` : `+${-less}`) : ""}`;
}
const marked = ({ name, args, hidden, locked }: Filter) =>
  `${hidden ? "-" : ""}${locked ? "_" : ""}${name}(${args})`;

/** The arguments as sent to the server: without parts that are hidden within a layer. */
export function sentArgs({ name, args }: Filter): string {
  if (name !== "image" || !/:[-_]/.test(args)) return args;
  const [path, ...rest] = splitArgs(args);
  const inner = parseLayer(path ?? "");
  return inner
    ? [format(inner.operations) + inner.image, ...rest].join(",")
    : args;
}

/** Whether two documents are the same, including hidden and locked parts. */
export const same = (a: Operations, b: Operations) =>
  format(a, true) === format(b, true);

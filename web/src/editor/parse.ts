import { nothing, type Filter, type Fit, type Operations } from "./operations";

export type SegmentKind =
  | "trim"
  | "crop"
  | "fit"
  | "size"
  | "padding"
  | "align"
  | "smart"
  | "filters"
  | "filter"
  | "args"
  | "image";
/** A part of a path, for syntax coloring. `filter` is the index in the list of filters. */
export type Segment = { kind: SegmentKind; text: string; filter?: number };
export type Parsed = {
  operations: Operations;
  image: string;
  segments: Segment[];
};

const numbers = String.raw`(\d*\.?\d+|\d+)`;
const crop = new RegExp(`^${numbers}x${numbers}:${numbers}x${numbers}$`);
const size = /^(-?)(\d*)x(-?)(\d*)$/;
const layerSide = String.raw`(\d*|f(?:ull)?(?:[+-]\d+)?|\d*\.?\d+p)`;
const layerSize = new RegExp(`^(-?)${layerSide}x(-?)${layerSide}$`);
const padding = /^(\d+)x(\d+)(?::(\d+)x(\d+))?$/;
const trim = /^trim(:(top-left|bottom-right))?(:\d{1,9})?$/;
const fit = /^(adaptive-)?(full-)?fit-in$/;

/**
 * Parses the part of an image URL after the signature, as the server does, except that preset calls
 * stay unparsed: the image begins at the first segment that does not fit. Null while a filter's
 * parenthesis is open, or if there is no image.
 */
export const parse = (path: string) => read(path, size);

/** Parses the path of an image layer, whose sides may depend on its parent: `f`, `full-20`, `30p`. */
export const parseLayer = (path: string) => read(path, layerSize);

function read(path: string, sides: RegExp): Parsed | null {
  const o = nothing();
  const segments: Segment[] = [];
  let rest = path.replace(/^\/+/, "");
  const take = (
    kind: SegmentKind,
    accept: (segment: string) => boolean,
  ): boolean => {
    const end = rest.indexOf("/");
    const segment = rest.slice(0, end);
    if (end < 0 || !accept(segment)) return false;
    segments.push({ kind, text: `${segment}/` });
    rest = rest.slice(end + 1);
    return true;
  };
  take("trim", (text) => trim.test(text) && Boolean((o.trim = text)));
  take("crop", (text) => readCrop(o, text));
  take("fit", (text) => fit.test(text) && Boolean((o.fit = text as Fit)));
  o.stretch = take("fit", (text) => text === "stretch");
  if (take("size", (text) => readSize(o, sides.exec(text))))
    take("padding", (text) => readPadding(o, text));
  for (const word of ["left", "center", "right"] as const)
    if (!o.hAlign && take("align", (text) => text === word)) o.hAlign = word;
  for (const word of ["top", "middle", "bottom"] as const)
    if (!o.vAlign && take("align", (text) => text === word)) o.vAlign = word;
  o.smart = take("smart", (text) => text === "smart");
  if (rest.startsWith("filters:")) {
    const found = readFilters(rest);
    if (!found) return null;
    o.filters = found.filters;
    segments.push(...found.segments);
    rest = rest.slice(found.length);
  }
  if (!rest) return null;
  segments.push({ kind: "image", text: rest });
  return { operations: o, image: rest, segments };
}

function readCrop(o: Operations, text: string): boolean {
  const found = crop.exec(text);
  if (!found) return false;
  const [left, top, right, bottom] = found.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  o.crop = left || top || right || bottom ? { left, top, right, bottom } : null;
  return true;
}

function readSize(o: Operations, found: RegExpExecArray | null): boolean {
  if (!found) return false;
  o.hFlip = found[1] === "-";
  o.vFlip = found[3] === "-";
  Object.assign(o, readSide(found[2]!, "Width"), readSide(found[4]!, "Height"));
  return true;
}

function readSide(text: string, side: "Width" | "Height"): Partial<Operations> {
  if (text.startsWith("f"))
    return { [`full${side}`]: 0 - Number(text.replace(/^f(ull)?/, "")) };
  if (text.endsWith("p"))
    return { [`percent${side}`]: Number(text.slice(0, -1)) };
  return { [side.toLowerCase()]: Number(text) };
}

function readPadding(o: Operations, text: string): boolean {
  const found = padding.exec(text);
  if (!found) return false;
  const [left, top] = [Number(found[1]), Number(found[2])];
  o.padding = {
    left,
    top,
    right: Number(found[3] ?? left),
    bottom: Number(found[4] ?? top),
  };
  return true;
}

/** The index of the parenthesis that closes the one at `start`; -1 if it is unclosed. */
function closing(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")" && --depth === 0) return i;
  }
  return -1;
}

const beginning = "filters:".length;

function readFilters(
  text: string,
): { filters: Filter[]; segments: Segment[]; length: number } | null {
  const filters: Filter[] = [];
  const segments: Segment[] = [{ kind: "filters", text: "filters:" }];
  if (text[beginning] === "/")
    return {
      filters,
      segments: [{ kind: "filters", text: "filters:/" }],
      length: beginning + 1,
    };
  for (let at = beginning; ;) {
    const open = text.indexOf("(", at);
    const name = text.slice(at, open);
    const close = open < 0 ? -1 : closing(text, open);
    if (close < 0 || !/^[\w-]+$/.test(name)) return null;
    const args = text.slice(open + 1, close);
    const [, off, fixed, plain] = /^(-?)(_?)(.*)$/.exec(name)!;
    const filter =
      filters.push({
        name: plain!,
        args,
        ...(off ? { hidden: true } : {}),
        ...(fixed ? { locked: true } : {}),
      }) - 1;
    segments.push(
      { kind: "filter", text: `${name}(`, filter },
      { kind: "args", text: args, filter },
      { kind: "filter", text: ")", filter },
    );
    const next = text[close + 1];
    if (next !== ":" && next !== "/") return null;
    segments.push({ kind: "filters", text: next });
    if (next === "/") return { filters, segments, length: close + 2 };
    at = close + 2;
  }
}

/**
 * The part of a copied URL after the origin, the signature and the template marker, none of which
 * affect the picture.
 */
export function withoutSignature(text: string): string {
  const path = text
    .trim()
    .replace(/^https?:\/\/[^/]*/, "")
    .replace(/^\/+/, "");
  return path
    .replace(/^(params\/)?(unsafe|[\w=-]{17,})\//, "")
    .replace(/^preset\(@[0-9a-f]{16}\)\//, "");
}

/** Splits the arguments of a filter at the commas that are not inside nested parentheses. */
export function splitArgs(args: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "(") depth++;
    else if (args[i] === ")") depth--;
    else if (args[i] === "," && depth === 0) {
      parts.push(args.slice(start, i));
      start = i + 1;
    }
  }
  return args === "" ? [] : [...parts, args.slice(start)];
}

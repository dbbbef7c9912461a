import { nameOfFilter, toneNames } from "./filters";
import { format } from "./format";
import {
  nothing,
  type Filter,
  type Operations,
  followsParent,
} from "./operations";
import { parseLayer, splitArgs } from "./parse";
import { resultSize, type Size } from "./size";

// Filters that affect how the file is sent and not how it looks, or that would make the server refuse it.
const unseen = new Set([
  "format",
  "quality",
  "max_bytes",
  "attachment",
  "expire",
  "max_age",
  "preview",
  "autojpg",
  "lossless",
  "raw",
  "compression",
  "fallback_format",
  "keep_metadata",
  "strip_exif",
  "strip_metadata",
]);
/** Filters whose arguments are lengths in pixels. */
const lengths = new Set([
  "blur",
  "sharpen",
  "pixelate",
  "round_corner",
  "crop",
]);
const number = /^-?\d+(\.\d+)?$/;

/**
 * The path of a preview of the result, scaled by `scale`. If every length of the document can be
 * scaled, the server works on the small picture only; otherwise it renders the full result and
 * scales it down at the end.
 */
export function previewPath(
  o: Operations,
  image: string,
  source: Size,
  scale: number,
): string {
  const seen = {
    ...o,
    filters: o.filters.filter(
      (filter) => !filter.hidden && !unseen.has(filter.name),
    ),
  };
  const small = scale < 1 ? scaled(seen, source, scale) : seen;
  const end: Filter[] = [
    { name: "preview", args: "" },
    { name: "format", args: "webp" },
  ];
  if (!small)
    end.unshift({ name: "proportion", args: String(round(scale * 100, 2)) });
  return (
    format({
      ...(small ?? seen),
      filters: [...(small ?? seen).filters, ...end],
    }) + image
  );
}

/** The document scaled by `scale`; null if something in it has an implicit size. */
export function scaled(
  o: Operations,
  source: Size,
  scale: number,
): Operations | null {
  if (o.trim) return null;
  const filters = o.filters.map((filter) => scaleFilter(filter, scale));
  if (filters.includes(null)) return null;
  const px = (value: number) =>
    value ? Math.max(1, Math.round(value * scale)) : 0;
  const { left, top, right, bottom } = o.padding;
  const less = (value: number | undefined) =>
    value === undefined ? undefined : Math.round(value * scale);
  const full = { fullWidth: less(o.fullWidth), fullHeight: less(o.fullHeight) };
  const size =
    o.fit || (!o.width && !o.height && !followsParent(o))
      ? fitted(o, source, scale)
      : {
          width: px(o.width),
          height: px(o.height),
          ...(followsParent(o) ? full : {}),
        };
  return {
    ...o,
    ...size,
    padding: {
      left: px(left),
      top: px(top),
      right: px(right),
      bottom: px(bottom),
    },
    filters: filters as Filter[],
  };
}

// A picture that is not enlarged does not fill a larger box. The box is reduced to the picture, or scaling
// would not shrink it.
function fitted(o: Operations, source: Size, scale: number): Size {
  const filled = o.filters.some(
    (filter) => filter.name === "fill" || filter.name === "fill_color",
  );
  const plain = {
    ...o,
    filters: o.filters.filter((filter) =>
      ["orient", "straighten", "upscale", "no_upscale"].includes(filter.name),
    ),
  };
  const now = o.fit && filled ? o : resultSize(plain, source);
  const width = Math.max(1, Math.round(now.width * scale));
  return {
    width,
    height: o.fit ? Math.max(1, Math.round(now.height * scale)) : 0,
  };
}

function scaleFilter(filter: Filter, scale: number): Filter | null {
  const args = splitArgs(filter.args);
  const write = (change: (arg: string, i: number) => string): Filter => ({
    ...filter,
    args: args.map(change).join(","),
  });
  const at = (...places: number[]) =>
    write((arg, i) => (places.includes(i) ? scaleLength(arg, scale) : arg));
  if (lengths.has(filter.name))
    return args.length
      ? write((arg) => scaleNumber(arg, scale))
      : {
          ...filter,
          args: filter.name === "pixelate" ? scaleNumber("10", scale) : "",
        };
  switch (filter.name) {
    case "padding":
      return at(1, 2, 3, 4);
    case "label":
      return at(1, 2, 3);
    case "text":
      return write((arg, i) =>
        i === 3
          ? arg.replace(/\d+(\.\d+)?(?=(px)?$)/, (size) =>
              scaleNumber(size, scale),
            )
          : [1, 2, 7, 11].includes(i)
            ? scaleLength(arg, scale)
            : arg,
      );
    case "image":
      return scaleImage(filter, args, scale);
    case "watermark":
      return [args[4], args[5]].some((ratio) => ratio && ratio !== "none")
        ? at(1, 2)
        : null;
    case "trim":
      return null;
    default:
      return filter;
  }
}

function scaleImage(
  filter: Filter,
  args: string[],
  scale: number,
): Filter | null {
  const inner = parseLayer(args[0] ?? "");
  if (
    !inner ||
    (!inner.operations.width &&
      !inner.operations.height &&
      !followsParent(inner.operations))
  )
    return null;
  const small = scaled(inner.operations, { width: 1, height: 1 }, scale);
  if (!small || inner.operations.fit) return null;
  return {
    ...filter,
    args: [
      format(small) + inner.image,
      ...args.slice(1).map((arg, i) => (i < 2 ? scaleLength(arg, scale) : arg)),
    ].join(","),
  };
}

// Percentages, fractions and keywords stay unchanged; the offset of a keyword is a length.
function scaleLength(text: string, scale: number): string {
  const word = /^([a-z]+)([+-]\d+)$/i.exec(text);
  if (word)
    return `${word[1]}${Number(word[2]) < 0 ? "-" : "+"}${Math.round(Math.abs(Number(word[2])) * scale)}`;
  if (!number.test(text) || (text.includes(".") && Math.abs(Number(text)) <= 1))
    return text;
  const by = Math.round(Number(text) * scale);
  return text.startsWith("-") ? String(Math.min(-1, by)) : String(by);
}
const scaleNumber = (text: string, scale: number) =>
  number.test(text) ? String(round(Number(text) * scale, 2)) : text;
const round = (value: number, digits: number) =>
  Math.round(value * 10 ** digits) / 10 ** digits;

/** The picture before its edits, in the same shape, for a before-and-after comparison. */
export function beforeOf(o: Operations): Operations {
  const shape = new Set([
    "orient",
    "straighten",
    "focal",
    "upscale",
    "no_upscale",
    "rotate",
    "proportion",
    "crop",
    "fill",
    "fill_color",
    "padding",
    "page",
    "dpi",
  ]);
  return {
    ...o,
    filters: o.filters.filter((filter) => shape.has(filter.name)),
  };
}

/** The whole picture with its tone filters and without straightening, for choosing a crop on it. */
export function uncropped(o: Operations): Operations {
  const kept = new Set(["orient", "page", "dpi", ...toneNames]);
  return {
    ...nothing(),
    filters: o.filters.filter(({ name }) => kept.has(nameOfFilter(name))),
  };
}

import { encodeLayerImage, encodeText } from "@safelight/client";
import { addFilter } from "./filters";
import { format } from "./format";
import { nothing, type Filter, type Operations } from "./operations";
import { parseLayer, splitArgs } from "./parse";

export type LayerKind =
  "text" | "image" | "color" | "group" | "label" | "watermark";
/**
 * A filter that places something on top of the picture, with its arguments by name. `at` is its
 * index in the list of filters.
 */
export type Layer = {
  at: number;
  kind: LayerKind;
  title: string;
  hidden: boolean;
  locked: boolean;
  args: Record<string, string>;
};

// What is drawn around a layer. Lengths are in percent of the text size, or of a picture's shorter side.
const around = [
  "box",
  "padding",
  "radius",
  "outline",
  "outlineWidth",
  "shadow",
  "shadowX",
  "shadowY",
  "shadowBlur",
];
const names: Record<string, string[]> = {
  text: [
    "text",
    "x",
    "y",
    "font",
    "color",
    "alpha",
    "blend",
    "width",
    "align",
    "justify",
    "wrap",
    "spacing",
    "dpi",
    ...around,
  ],
  image: ["path", "x", "y", "alpha", "blend", ...around],
  label: ["text", "x", "y", "size", "color", "alpha", "font", ...around],
  watermark: ["path", "x", "y", "alpha", "widthRatio", "heightRatio"],
};
const defaults: Record<string, string> = {
  x: "0",
  y: "0",
  alpha: "0",
  blend: "normal",
  align: "low",
  justify: "false",
  wrap: "word",
  spacing: "0",
  dpi: "72",
  size: "20",
  font: "sans 20",
  color: "black",
  width: "0",
  widthRatio: "none",
  heightRatio: "none",
  box: "none",
  padding: "30",
  radius: "0",
  outline: "none",
  outlineWidth: "5",
  shadow: "none",
  shadowX: "0",
  shadowY: "6",
  shadowBlur: "8",
};
const pictureDefaults: Record<string, string> = {
  ...defaults,
  padding: "5",
  outlineWidth: "2",
  shadowY: "2",
  shadowBlur: "4",
};
/** The server's defaults for the arguments of a layer. */
export const defaultsOf = (filter: string): Record<string, string> =>
  filter === "image" ? pictureDefaults : defaults;
export const blends = [
  "normal",
  "multiply",
  "screen",
  "overlay",
  "darken",
  "lighten",
  "color-dodge",
  "color-burn",
  "hard-light",
  "soft-light",
  "difference",
  "exclusion",
  "add",
  "mask",
  "mask-out",
];

/** The layers of a document, topmost first. */
export function layersOf(o: Operations): Layer[] {
  return o.filters.flatMap((filter, at) => layerOf(filter, at) ?? []).reverse();
}

function layerOf(filter: Filter, at: number): Layer | null {
  const places = names[filter.name];
  if (!places) return null;
  const given = splitArgs(filter.args);
  const args = Object.fromEntries(
    places.map((name, i) => [
      name,
      given[i] || (defaultsOf(filter.name)[name] ?? ""),
    ]),
  );
  const inner = args.path === undefined ? null : parseLayer(args.path);
  const image = inner?.image ?? args.path ?? "";
  const kind =
    inner && isGroup(filter, inner)
      ? "group"
      : image.startsWith("color:")
        ? "color"
        : (filter.name as LayerKind);
  const title =
    args.text !== undefined
      ? decodeText(args.text)
      : kind === "group"
        ? layersOf(inner!.operations)
            .map((one) => one.title)
            .reverse()
            .join(", ")
        : kind === "color"
          ? image.slice(6)
          : decodePath(image.slice(image.lastIndexOf("/") + 1));
  return {
    at,
    kind,
    title,
    hidden: Boolean(filter.hidden),
    locked: Boolean(filter.locked),
    args,
  };
}

// A group is a transparent canvas that holds other layers.
const isGroup = (
  filter: Filter,
  { image, operations }: { image: string; operations: Operations },
) =>
  filter.name === "image" &&
  image === "color:none" &&
  layersOf(operations).length > 0;

/**
 * The filter of a layer with some of its arguments changed. Trailing arguments with default values
 * are omitted.
 */
export function changeLayer(
  o: Operations,
  layer: Layer,
  change: Record<string, string>,
): Operations {
  const filter = o.filters[layer.at]!;
  const places = names[filter.name]!;
  const all = places.map((name) => change[name] ?? layer.args[name] ?? "");
  const unsaid = defaultsOf(filter.name);
  let length = all.length;
  while (
    length > 3 &&
    (all[length - 1] === "" || all[length - 1] === unsaid[places[length - 1]!])
  )
    length--;
  return {
    ...o,
    filters: o.filters.with(layer.at, {
      ...filter,
      args: all.slice(0, length).join(","),
    }),
  };
}

/** Shows or hides a layer. */
export function toggleLayer(o: Operations, layer: Layer): Operations {
  const { hidden, ...filter } = o.filters[layer.at]!;
  return {
    ...o,
    filters: o.filters.with(
      layer.at,
      hidden ? filter : { ...filter, hidden: true },
    ),
  };
}
/** Locks or unlocks a layer. */
export function lockLayer(o: Operations, layer: Layer): Operations {
  const { locked, ...filter } = o.filters[layer.at]!;
  return {
    ...o,
    filters: o.filters.with(
      layer.at,
      locked ? filter : { ...filter, locked: true },
    ),
  };
}
export const removeLayer = (o: Operations, layer: Layer): Operations => ({
  ...o,
  filters: o.filters.toSpliced(layer.at, 1),
});

/** Swaps a layer with the one above (1) or below (-1). Returns the same document if there is none. */
export function raiseLayer(
  o: Operations,
  layer: Layer,
  step: 1 | -1,
): Operations {
  const places = layersOf(o)
    .map((one) => one.at)
    .reverse();
  const other = places[places.indexOf(layer.at) + step];
  if (other === undefined) return o;
  return {
    ...o,
    filters: o.filters
      .with(layer.at, o.filters[other]!)
      .with(other, o.filters[layer.at]!),
  };
}

/**
 * Groups a layer with the one below on a transparent canvas as large as the picture; null if they
 * are not neighbors.
 */
export function groupLayers(
  o: Operations,
  layer: Layer,
): { operations: Operations; at: number } | null {
  const below = o.filters[layer.at - 1];
  const under = below && layerOf(below, layer.at - 1);
  if (!under) return null;
  const within = plainGroup(under);
  const filters = [...(within?.filters ?? [below]), o.filters[layer.at]!];
  const args = `${format({ ...nothing(), fullWidth: 0, fullHeight: 0, filters }, true)}color:none,0,0`;
  return {
    operations: {
      ...o,
      filters: o.filters.toSpliced(layer.at - 1, 2, { name: "image", args }),
    },
    at: layer.at - 1,
  };
}

/**
 * Replaces a group by its layers; null if the group does more than hold layers, so that the picture
 * would change.
 */
export function ungroupLayer(o: Operations, layer: Layer): Operations | null {
  const inner = plainGroup(layer);
  return (
    inner && {
      ...o,
      filters: o.filters.toSpliced(layer.at, 1, ...inner.filters),
    }
  );
}

function plainGroup({ kind, hidden, args }: Layer): Operations | null {
  if (
    kind !== "group" ||
    hidden ||
    !atOrigin(args.x!) ||
    !atOrigin(args.y!) ||
    Number(args.alpha) ||
    args.blend !== "normal" ||
    around.some((name) => args[name] !== pictureDefaults[name])
  )
    return null;
  const inner = parseLayer(args.path!)!.operations;
  const bare = { ...inner, filters: [] };
  return format(bare) === "fxf/" &&
    inner.filters.every((filter) => names[filter.name])
    ? inner
    : null;
}
const atOrigin = (text: string) =>
  ["0", "left", "top", "l", "t"].includes(text);

/** Copies a layer above itself. */
export const copyLayer = (o: Operations, layer: Layer): Operations => ({
  ...o,
  filters: o.filters.toSpliced(layer.at + 1, 0, o.filters[layer.at]!),
});

/** Adds a layer on top of all others, and returns its index. */
export function addLayer(
  o: Operations,
  filter: Filter,
): { operations: Operations; at: number } {
  const operations = addFilter(o, filter);
  return { operations, at: operations.filters.indexOf(filter) };
}
// New layers are sized in percent of the picture, so that they still fit when its size changes.
export const newText = (text: string): Filter => ({
  name: "text",
  args: `${encodeText(text)},center,center,sans-bold-8p,ffffff,0,normal,90p,centre`,
});
export const newImage = (path: string): Filter => ({
  name: "image",
  args: `25px0/${encodeLayerImage(path)},center,center`,
});
export const newColor = (color: string): Filter => ({
  name: "image",
  args: `50px25p/color:${color},center,center,40`,
});

/** Decodes the text of an argument, which is percent-encoded or in base64. */
export function decodeText(text: string): string {
  if (text.startsWith("b64:")) {
    try {
      const bytes = Uint8Array.from(
        atob(text.slice(4).replaceAll("-", "+").replaceAll("_", "/")),
        (c) => c.charCodeAt(0),
      );
      return new TextDecoder().decode(bytes);
    } catch {
      return text;
    }
  }
  return decodePath(text);
}
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A font as the server parses it: a Pango description that ends with the size, in points or in
 * percent of the picture's shorter side.
 */
export type Font = {
  family: string;
  style: string;
  size: number;
  percent: boolean;
};
const styles = ["bold-italic", "bold", "italic"];
export function parseFont(text: string): Font {
  const words = decodeText(text)
    .split(/[-\s,@#]+/)
    .filter(Boolean);
  const end = words.at(-1) ?? "";
  const last = Number.parseFloat(end);
  const size = last > 0 ? last : 20;
  const percent = last > 0 && /^[\d.]+p$/.test(end);
  if (last > 0) words.pop();
  const bold = words.some((word) => word.toLowerCase() === "bold");
  const italic = words.some((word) => word.toLowerCase() === "italic");
  const family =
    words
      .filter((word) => !["bold", "italic"].includes(word.toLowerCase()))
      .join(" ") || "sans";
  return {
    family,
    style:
      styles.find(
        (style) =>
          style ===
          [bold && "bold", italic && "italic"].filter(Boolean).join("-"),
      ) ?? "",
    size,
    percent,
  };
}
export const formatFont = (font: Font) =>
  encodeText(
    [
      ...font.family.split(" "),
      font.style,
      `${font.size}${font.percent ? "p" : ""}`,
    ]
      .filter(Boolean)
      .join("-"),
  );

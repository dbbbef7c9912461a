import { argsOf, nameOfFilter, numberOf, toneNames, turned } from "./filters";
import {
  decodePath,
  layersOf,
  parseFont,
  decodeText,
  type Layer,
} from "./layers";
import { focalOf } from "./focal";
import { sentArgs } from "./format";
import type { Crop, Operations } from "./operations";
import { parseLayer } from "./parse";
import { cropBox, inShares, leveled, type Size } from "./size";

type Json = Record<string, unknown>;
/** A text or a picture that is filled in when a template is applied; `{name}` is its placeholder. */
export type Variable = {
  name: string;
  type: "text" | "image";
  default: string;
};
// The names of what the template cannot contain, and the placeholders of pictures by path.
type Notes = {
  lost: string[];
  images: Map<string, string>;
  pixelCrop: boolean;
};

/** Converts a document to a template. `lost` names what the template cannot contain. */
export function toEnvelope(
  o: Operations,
  image: string,
  source: Size,
  mode: "adaptive" | "predefined",
  variables: Variable[] = [],
  pixelCrop = false,
): { json: string; lost: string[] } {
  const notes: Notes = {
    lost: [],
    images: new Map(
      variables.flatMap(({ name, type, default: path }) =>
        type === "image" ? [[path, `{${name}}`]] : [],
      ),
    ),
    pixelCrop,
  };
  const transformations = transforms(o, source, notes);
  const envelope = {
    version: "1.0",
    dimensionMode: mode,
    predefinedDimensions: source,
    sourceImagePath: image,
    ...(variables.length ? { variables } : {}),
    transformations: {
      imagePath: image,
      originalDimensions: source,
      ...transformations,
    },
  };
  return {
    json: JSON.stringify(envelope, null, 2),
    lost: [...new Set(notes.lost)],
  };
}

const plain = [
  "brightness",
  "contrast",
  "saturation",
  "hue",
  "blur",
  "sharpen",
  "quality",
  "proportion",
] as const;
const held = new Set<string>([
  ...plain,
  "grayscale",
  "round_corner",
  "fill",
  "rotate",
  "format",
  "max_bytes",
  "strip_icc",
  "strip_exif",
  "image",
  "text",
]);
// Filters that the template contains as a list. The position of these does not matter.
const listed = new Set<string>([
  "orient",
  "straighten",
  "focal",
  "dpi",
  "page",
  "upscale",
  "no_upscale",
  "lossless",
  "keep_metadata",
  "strip_metadata",
  "compression",
  "autojpg",
  "to_colorspace",
  "max_frames",
]);
const photographic = toneNames.slice(0, 4).concat("curve", "vibrance");
// Filters of the list that are applied after the fields in `first` and before those in `last`.
const between = new Set<string>([
  ...photographic,
  "modulate",
  "rgb",
  "invert",
  "pixelate",
  "background_color",
]);
const first = new Set<string>([
  "brightness",
  "contrast",
  "saturation",
  "hue",
  "grayscale",
  "blur",
  "sharpen",
]);
const last = new Set<string>([
  "round_corner",
  "fill",
  "rotate",
  "image",
  "text",
]);

const isTonal = (name: string) => first.has(name) || between.has(name);

/**
 * Whether the order of the tone filters must be listed: one of them precedes a filter with a field
 * of its own.
 */
function needsOrder(names: string[]): boolean {
  return names.some(
    (name, i) =>
      photographic.includes(name) &&
      names.slice(i).some((one) => first.has(one)),
  );
}

/** The filters of a document that go into the template's list. */
function inList(o: Operations): Operations["filters"] {
  const seen = o.filters.filter((filter) => !filter.hidden);
  const names = seen.map((filter) => nameOfFilter(filter.name));
  const ordered = needsOrder(names);
  const fits = (name: string, i: number) =>
    (ordered ? isTonal(name) : between.has(name)) &&
    (ordered || !names.slice(i).some((one) => first.has(one))) &&
    !names.slice(0, i).some((one) => last.has(one));
  return seen.filter(
    (filter, i) => listed.has(filter.name) || fits(names[i]!, i),
  );
}

function transforms(o: Operations, source: Size, notes: Notes): Json {
  const { lost } = notes;
  const json: Json = {};
  const set = (key: string, value: unknown) =>
    value !== 0 &&
    value !== "" &&
    value !== false &&
    value !== undefined &&
    (json[key] = value);
  for (const key of [
    "width",
    "height",
    "stretch",
    "smart",
    "hAlign",
    "vAlign",
    "hFlip",
    "vFlip",
  ] as const)
    set(key, o[key]);
  set("fitIn", o.fit !== "");
  if (o.fit && o.fit !== "fit-in") lost.push(o.fit);
  if (o.trim) lost.push("trim");
  if (o.crop) Object.assign(json, cropJson(o, o.crop, source, notes));
  for (const key of ["Left", "Top", "Right", "Bottom"] as const)
    set(`padding${key}`, o.padding[key.toLowerCase() as "left"]);
  const kept = inList(o);
  const field = (name: string) =>
    !kept.some((filter) => nameOfFilter(filter.name) === name);
  for (const name of plain) if (field(name)) set(name, numberOf(o, name));
  set("grayscale", field("grayscale") && argsOf(o, "grayscale") !== null);
  set("roundCornerRadius", numberOf(o, "round_corner"));
  set("fillColor", argsOf(o, "fill")?.[0]);
  set("rotation", turned(o));
  set("format", argsOf(o, "format")?.[0]);
  set("maxBytes", numberOf(o, "max_bytes"));
  set("stripIcc", argsOf(o, "strip_icc") !== null);
  set("stripExif", argsOf(o, "strip_exif") !== null);
  for (const key of ["Width", "Height"] as const) {
    const percent = o[`percent${key}`];
    if (percent !== undefined) json[key.toLowerCase()] = `${percent}p`;
    const less = o[`full${key}`];
    if (less === undefined) continue;
    json[`${key.toLowerCase()}Full`] = true;
    set(`${key.toLowerCase()}FullOffset`, less);
  }
  // Hidden layers are kept, other hidden filters are not.
  const seen = o.filters.filter(
    (filter) =>
      !held.has(nameOfFilter(filter.name)) ||
      (filter.hidden && filter.name !== "image" && filter.name !== "text"),
  );
  if (kept.length)
    json.filters = kept.map((filter) => ({
      name: filter.name,
      args: filter.name === "focal" ? focalArgs(o, source) : sentArgs(filter),
    }));
  lost.push(
    ...seen
      .filter((filter) => !kept.includes(filter))
      .map((filter) => filter.name),
  );
  const layers = layersOf(o)
    .reverse()
    .flatMap((layer, i) => layerJson(layer, i, notes) ?? []);
  if (layers.length) json.layers = layers;
  return json;
}

// As fractions: pixels of one picture would be a different point on the next.
function focalArgs(o: Operations, source: Size): string {
  const point = source.width ? focalOf(o, source) : null;
  return point
    ? `${exact(point.x)},${exact(point.y)}`
    : (argsOf(o, "focal") ?? []).join(",");
}

const exact = (n: number) => Math.round(n * 1e6) / 1e6;

/**
 * A crop as its aspect ratio, center and scale, which fit a picture of any size. It is in pixels if
 * requested, or if the size of the picture is unknown.
 */
function cropJson(
  o: Operations,
  crop: Crop,
  source: Size,
  { lost, pixelCrop }: Notes,
): Json {
  if (!source.width && inShares(crop)) {
    lost.push("crop");
    return {};
  }
  if (!source.width || pixelCrop) {
    const { left, top, right, bottom } = source.width
      ? cropBox(crop, leveled(o, source))
      : crop;
    return {
      cropLeft: left,
      cropTop: top,
      cropWidth: right && right - left,
      cropHeight: bottom && bottom - top,
    };
  }
  const picture = leveled(o, source);
  const box = cropBox(crop, picture);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const ratio = width / height;
  return {
    cropRatio: exact(ratio),
    cropFocalX: exact((box.left + box.right) / 2 / picture.width),
    cropFocalY: exact((box.top + box.bottom) / 2 / picture.height),
    cropScale: exact(width / Math.min(picture.width, picture.height * ratio)),
  };
}

/** Whether the crop of a template is in pixels. */
export function hasPixelCrop(envelope: string): boolean {
  const { transformations } = JSON.parse(envelope) as {
    transformations?: Json;
  };
  const { cropRatio, ...rest } = transformations ?? {};
  return !cropRatio && Object.keys(rest).some((key) => key.startsWith("crop"));
}

const place = (text: string): number | string =>
  /^-?\d+$/.test(text) ? Number(text) : text;

function aroundJson(args: Layer["args"]): Json {
  const json: Json = {};
  if (args.box !== "none")
    Object.assign(json, {
      boxColor: args.box,
      boxPadding: Number(args.padding),
    });
  if (args.box !== "none" || Number(args.radius))
    json.boxRadius = Number(args.radius);
  if (args.outline !== "none")
    Object.assign(json, {
      outlineColor: args.outline,
      outlineWidth: Number(args.outlineWidth),
    });
  if (args.shadow !== "none")
    Object.assign(json, {
      shadowColor: args.shadow,
      shadowX: Number(args.shadowX),
      shadowY: Number(args.shadowY),
      shadowBlur: Number(args.shadowBlur),
    });
  return json;
}

function layerJson(
  { kind, title, hidden, locked, args }: Layer,
  i: number,
  notes: Notes,
): Json | null {
  const layer: Json = {
    id: `layer-${i + 1}`,
    name: title.slice(0, 100),
    visible: !hidden,
    ...(locked ? { locked } : {}),
    x: place(args.x!),
    y: place(args.y!),
    alpha: Number(args.alpha),
    blendMode: args.blend ?? "normal",
    ...aroundJson(args),
  };
  if (kind === "text") {
    const font = parseFont(args.font!);
    return {
      ...layer,
      type: "text",
      text: decodeText(args.text!),
      font: font.family,
      fontStyle: font.style.replace("-", " "),
      fontSize: font.percent ? `${font.size}p` : font.size,
      color: args.color,
      width: place(args.width!),
      align: args.align,
      wrap: args.wrap,
      spacing: Number(args.spacing),
    };
  }
  const inner =
    kind === "image" || kind === "color" || kind === "group"
      ? parseLayer(args.path!)
      : null;
  // Labels and watermarks have been reported as lost already, by the name of their filter.
  if (!inner) return null;
  const own = transforms(inner.operations, { width: 0, height: 0 }, notes);
  if (kind === "group") return { ...layer, type: "group", transforms: own };
  if (kind === "color")
    return {
      ...layer,
      type: "color",
      color: inner.image.slice(6),
      transforms: own,
    };
  return {
    ...layer,
    type: "image",
    imagePath:
      notes.images.get(decodePath(inner.image)) ?? decodePath(inner.image),
    transforms: own,
  };
}

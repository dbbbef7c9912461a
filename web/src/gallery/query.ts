import type {
  FileFilter,
  FileSort,
  GeoBoundsInput,
  ImageFormat,
  NearFilter,
  SortOrder,
} from "../api/graphql";

/**
 * One part of a search: a plain word, or a token such as `tag:sea`. A name outside `tokenNames` is
 * an error.
 */
export type Token = { name: string; value: string };

/** The names of all tokens. `colour` is accepted for `color`. */
export const tokenNames = [
  "tag",
  "color",
  "date",
  "folder",
  "camera",
  "lens",
  "place",
  "near",
  "area",
  "rating",
  "type",
  "size",
  "is",
  "has",
  "before",
  "after",
  "wider",
  "taller",
] as const;

/**
 * Splits a query into words and tokens. A value with spaces is in double quotes, and so is a word
 * that looks like a token. A month or a day such as `2024-06` is a date.
 */
export function parseQuery(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, name = "", quoted, bare = ""] of text.matchAll(
    /(?:(\p{L}+):)?(?:"([^"]*)"?|(\S+))/gu,
  )) {
    const value = quoted ?? bare;
    if (!value) continue;
    const known = tokenName(name);
    const date = !name && quoted === undefined && /^\d{4}-\d\d(-\d\d)?$/;
    if (date && date.test(value) && datesOf(value))
      tokens.push({ name: "date", value });
    else tokens.push({ name: known, value: american(known, value) });
  }
  return tokens;
}

/** The canonical spelling of a token's name. */
export const tokenName = (typed: string): string =>
  typed.toLowerCase().replace(/^colour$/, "color");

/** Whether a token with this name exists. */
export const isKnown = (name: string): boolean =>
  (tokenNames as readonly string[]).includes(name);

// The American spelling of a value, which filters and chips use.
export const american = (name: string, value: string) =>
  name === "is" && value.toLowerCase() === "favourite" ? "favorite" : value;

/** Formats tokens as text that parseQuery parses back. */
export function formatQuery(tokens: Token[]): string {
  // A word that looks like a token is quoted too.
  const quotes = ({ name, value }: Token) =>
    /[\s"]/.test(value) || (!name && parseQuery(value)[0]?.name);
  return tokens
    .map(
      (token) =>
        (token.name ? `${token.name}:` : "") +
        (quotes(token) ? `"${token.value.replaceAll('"', "")}"` : token.value),
    )
    .join(" ");
}

/**
 * Converts tokens to a filter and words. Tokens with an unknown name or an invalid value are left
 * out; `unclear` lists them.
 */
export function toFilter(tokens: Token[]): {
  filter: FileFilter;
  search: string;
  unclear: Token[];
} {
  const filter: FileFilter = {};
  const words: string[] = [];
  const unclear: Token[] = [];
  for (const token of tokens) {
    if (!token.name) {
      if (!isBegun(token.value)) words.push(token.value);
    } else if (!apply(filter, token)) unclear.push(token);
  }
  return { filter, search: words.join(" "), unclear };
}

/** Whether a word is a token still without a value, which must not hide everything during typing. */
const isBegun = (word: string): boolean => /^\p{L}+[:：]$/u.test(word);

/** The filter without templates, which have their own page. */
export const withoutTemplates = (filter: FileFilter): FileFilter => ({
  ...filter,
  isTemplate: false,
});

export function apply(filter: FileFilter, { name, value }: Token): boolean {
  switch (name) {
    case "tag":
      filter.tags = [...(filter.tags ?? []), value];
      return true;
    case "type":
      if (!formats.has(value.toLowerCase())) return false;
      filter.formats = [
        ...(filter.formats ?? []),
        formats.get(value.toLowerCase())!,
      ];
      return true;
    case "is":
      if (value.toLowerCase() === "favorite") return (filter.favorite = true);
      if (!["landscape", "portrait", "square"].includes(value.toLowerCase()))
        return false;
      filter.orientation = value.toUpperCase() as FileFilter["orientation"];
      return true;
    case "has":
      if (!["gps", "place"].includes(value.toLowerCase())) return false;
      filter.hasGps = true;
      return true;
    case "place":
      if (value.toLowerCase() === "none") filter.hasGps = false;
      else if (/[\p{L}\p{N}]/u.test(value)) filter.place = value;
      else return false;
      return true;
    case "near": {
      const near = nearOf(value);
      if (near) filter.near = near;
      return near !== null;
    }
    case "area": {
      const bounds = boundsOf(value);
      if (bounds) filter.bounds = bounds;
      return bounds !== null;
    }
    case "color":
      if (!/^(#?[0-9a-f]{3}|#?[0-9a-f]{6}|[a-z]+)$/i.test(value)) return false;
      filter.color = {
        color: swatches.get(value.toLowerCase()) ?? value.replace(/^#/, ""),
      };
      return true;
    case "rating":
      if (/^(0|none)$/i.test(value)) filter.maxRating = 0;
      else if (/^[1-5]$/.test(value)) filter.minRating = Number(value);
      else return false;
      return true;
    case "camera":
    case "lens":
    case "folder":
      if (!/[\p{L}\p{N}]/u.test(value)) return false;
      filter[name] = value;
      return true;
    case "size":
      return applySize(filter, value);
    case "date": {
      const dates = datesOf(value);
      if (!dates) return false;
      if (dates.from) filter.dateAfter = dates.from;
      if (dates.to) filter.dateBefore = dates.to;
      return true;
    }
    case "wider":
    case "taller": {
      const pixels = Number.parseInt(value, 10);
      if (!(pixels > 0)) return false;
      filter[name === "wider" ? "minWidth" : "minHeight"] = pixels;
      return true;
    }
    case "before":
    case "after": {
      const time = parseDay(value);
      if (!time) return false;
      filter[name === "before" ? "takenBefore" : "takenAfter"] = time;
      return true;
    }
    default:
      return false;
  }
}

/** The color names of searches. They match what people expect, and not the CSS colors. */
export const swatches: ReadonlyMap<string, string> = new Map([
  ["red", "cc2a2a"],
  ["orange", "e07b20"],
  ["yellow", "edc92f"],
  ["green", "3f8f3a"],
  ["teal", "1f8f8a"],
  ["blue", "2f6fc0"],
  ["purple", "8a3fa8"],
  ["pink", "e58fb1"],
  ["brown", "7a5236"],
  ["black", "000000"],
  ["gray", "808080"],
  ["white", "ffffff"],
]);

/**
 * The color that a word of a search names, and the search with a color token in place of the word;
 * null if no word names a color. `named` returns the displayed name of a color.
 */
export function withColor(
  all: Token[],
  named: (color: string) => string,
): { color: string; tokens: Token[] } | null {
  const colorOf = ({ name, value }: Token) => {
    const word = value.toLowerCase();
    const is = (color: string) =>
      color === word || named(color).toLowerCase() === word;
    return name ? undefined : [...swatches.keys()].find(is);
  };
  const word = all.find(colorOf);
  const color = word && colorOf(word);
  return color
    ? {
        color,
        tokens: all.map((token) =>
          token === word ? { name: "color", value: color } : token,
        ),
      }
    : null;
}

/** The CSS color for a token's value. */
export const cssColor = (value: string): string => {
  const hex = swatches.get(value.toLowerCase()) ?? value.replace(/^#/, "");
  return /^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(hex) ? `#${hex}` : value;
};

const units: Record<string, number> = {
  "": 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
};

/**
 * The bytes of a size such as `5mb`, `>5mb` or `<200kb`, and whether they are the upper bound; null
 * if it is invalid.
 */
export function sizeOf(value: string): { bytes: number; most: boolean } | null {
  const [, sign, number, unit = ""] =
    /^([<>]?)=?(\d+(?:\.\d+)?)([kmg]?b)?$/i.exec(value) ?? [];
  return number === undefined
    ? null
    : {
        bytes: Math.round(Number(number) * units[unit.toLowerCase()]!),
        most: sign === "<",
      };
}

function applySize(filter: FileFilter, value: string): boolean {
  const size = sizeOf(value);
  if (size) filter[size.most ? "maxSize" : "minSize"] = size.bytes;
  return size !== null;
}

/** The default radius around a place, in kilometers. */
export const usualDistance = 25;
const maxDistance = 2000;

/**
 * The circle of a value such as `Tokyo`, `Paris, Texas, 10km` or `35.6,139.7,500m`; null if it is
 * invalid. Whether the city exists is checked by the server.
 */
export function nearOf(value: string): NearFilter | null {
  const [, middle = "", number, unit] =
    /^(.*?)(?:,\s*(\d+(?:\.\d+)?)\s*(km|mi|m))?$/i.exec(value.trim()) ?? [];
  const kilometers = number
    ? Number(number) * { km: 1, mi: 1.609344, m: 0.001 }[unit!.toLowerCase()]!
    : usualDistance;
  if (!(kilometers > 0 && kilometers <= maxDistance)) return null;
  const numbers = degreesOf(middle);
  if (numbers?.length === 2) {
    const [latitude, longitude] = numbers as [number, number];
    return isOnEarth(latitude, longitude)
      ? { center: { position: { latitude, longitude } }, kilometers }
      : null;
  }
  return /\p{L}/u.test(middle)
    ? { center: { city: middle }, kilometers }
    : null;
}

/** The bounds of a value with the southern, western, northern and eastern edge; null if it is invalid. */
export function boundsOf(value: string): GeoBoundsInput | null {
  const numbers = degreesOf(value);
  if (numbers?.length !== 4) return null;
  const [south, west, north, east] = numbers as [
    number,
    number,
    number,
    number,
  ];
  return isOnEarth(south, west) && isOnEarth(north, east) && south <= north
    ? { south, west, north, east }
    : null;
}

/** A value that boundsOf parses back to these bounds or slightly larger ones, accurate to a meter. */
export function areaOf({ south, west, north, east }: GeoBoundsInput): string {
  const round = (degrees: number, way: (number: number) => number) =>
    way(Math.round(degrees * 1e7) / 100) / 1e5;
  return [
    Math.max(-90, round(south, Math.floor)),
    Math.max(-180, round(west, Math.floor)),
    Math.min(90, round(north, Math.ceil)),
    Math.min(180, round(east, Math.ceil)),
  ].join(",");
}

const degreesOf = (text: string): number[] | null =>
  /^\s*-?\d+(\.\d+)?(\s*,\s*-?\d+(\.\d+)?)*\s*$/.test(text)
    ? text.split(",").map(Number)
    : null;

const isOnEarth = (latitude: number, longitude: number) =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

/** The first and last moment of a date range; null is unbounded. The API has nanosecond precision. */
type Dates = { from: string | null; to: string | null };

/**
 * The moments of a year, a month, a day, or a range such as `2023-12..2024`, which may be open at
 * one end; null if it is invalid.
 */
export function datesOf(value: string): Dates | null {
  const [first = "", last = first, more] = value.split("..");
  const [from, to] = [parseDay(first), parseDay(last)];
  if (more !== undefined || (first && !from) || (last && !to)) return null;
  if (!to) return from ? { from, to: null } : null;
  const end = new Date(to);
  if (last.length === 4) end.setUTCFullYear(end.getUTCFullYear() + 1);
  else if (last.length === 7) end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCDate(end.getUTCDate() + 1);
  if (from && end.toISOString() <= from) return null;
  const day = new Date(end.getTime() - 1).toISOString().slice(0, 10);
  return { from, to: `${day}T23:59:59.999999999Z` };
}

/** The shortest value that datesOf parses back to these moments; null if they are not whole days. */
export function dateOf({ from, to }: Dates): string | null {
  const [first, last] = [from?.slice(0, 10), to?.slice(0, 10)];
  if (from && !/T00:00:00(\.0+)?Z$/.test(from)) return null;
  if (to && !/T23:59:59\.999999999Z$/.test(to)) return null;
  if (!first || !last)
    return first || last ? `${first ?? ""}..${last ?? ""}` : null;
  for (const value of [first, first.slice(0, 7), first.slice(0, 4)]) {
    const dates = datesOf(value);
    if (dates?.from?.slice(0, 10) === first && dates.to === to) return value;
  }
  return `${first}..${last}`;
}

const formats = new Map<string, ImageFormat>([
  ["jpeg", "JPEG"],
  ["jpg", "JPEG"],
  ["png", "PNG"],
  ["gif", "GIF"],
  ["webp", "WEBP"],
  ["avif", "AVIF"],
  ["heic", "HEIF"],
  ["heif", "HEIF"],
  ["tiff", "TIFF"],
  ["tif", "TIFF"],
  ["jxl", "JXL"],
  ["jp2", "JP2"],
  ["svg", "SVG"],
  ["pdf", "PDF"],
  ["bmp", "BMP"],
]);

// The first moment of 2024, 2024-03 or 2024-03-14.
function parseDay(text: string): string | null {
  const [, year, month = "01", day = "01"] =
    /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/.exec(text) ?? [];
  const time = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ||
    !time.toISOString().includes(`-${day}T`)
    ? null // June has no 31st, for example
    : time.toISOString();
}

/** The sort options by their name in the URL, each with its default direction. */
export const sorts: Record<string, { sort: FileSort; order: SortOrder }> = {
  name: { sort: "NAME", order: "ASC" },
  taken: { sort: "TAKEN", order: "DESC" },
  changed: { sort: "MODIFIED", order: "DESC" },
  rating: { sort: "RATING", order: "DESC" },
  size: { sort: "SIZE", order: "DESC" },
  pixels: { sort: "DIMENSIONS", order: "DESC" },
};

/** The sort that a URL names, or else `usual`: its name, and its form for the API. */
export function sortOf(
  query: URLSearchParams,
  usual: keyof typeof sorts = "name",
): {
  name: string;
  sort: FileSort;
  order: SortOrder;
} {
  const name = query.get("sort") ?? "";
  const [known, { sort, order }] = Object.hasOwn(sorts, name)
    ? [name, sorts[name]!]
    : [usual, sorts[usual]!];
  const wanted = query.get("order");
  return {
    name: known,
    sort,
    order: wanted === "asc" ? "ASC" : wanted === "desc" ? "DESC" : order,
  };
}

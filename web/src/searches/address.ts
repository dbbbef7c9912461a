import type {
  FileFilter,
  FileSort,
  GeoBoundsInput,
  NearFilter,
  SortOrder,
} from "../api/graphql";
import {
  dateOf,
  formatQuery,
  parseQuery,
  sortOf,
  sorts,
  swatches,
  toFilter,
  usualDistance,
  type Token,
} from "../gallery/query";
import { escapePath, match } from "../router/path";

/** A search as the API stores it: arguments of the query `files`. */
export type Kept = {
  folder: string;
  recursive: boolean;
  search: string;
  filter: FileFilter;
  sort: FileSort;
  order: SortOrder;
};

/** The search in the URL of the search page, or of a folder that is searched. */
export function keptOf(path: string, query: URLSearchParams): Kept {
  const { filter, search } = toFilter(parseQuery(query.get("q") ?? ""));
  const { sort, order } = sortOf(query);
  return {
    folder: match("/f/*folder", path)?.folder ?? "",
    recursive: true,
    search,
    filter,
    sort,
    order,
  };
}

/**
 * The URL of a search, and the names of the parts that a URL cannot express: the search may have been
 * saved by another program.
 */
export function addressOf(kept: Kept): { href: string; lost: string[] } {
  const { tokens, lost } = tokensOf(kept.filter);
  const q = formatQuery([
    ...kept.search
      .split(/\s+/)
      .filter(Boolean)
      .map((value) => ({ name: "", value })),
    ...tokens,
  ]);
  const query = new URLSearchParams();
  if (q) query.set("q", q);
  const name =
    Object.keys(sorts).find((one) => sorts[one]!.sort === kept.sort) ?? "name";
  if (name !== "name") query.set("sort", name);
  if (kept.order !== sorts[name]!.order)
    query.set("order", kept.order.toLowerCase());
  if (kept.recursive !== (kept.folder === "" || q !== ""))
    lost.push("recursive");
  const text = query.toString();
  return {
    href:
      (kept.folder ? `/f/${escapePath(kept.folder)}` : "/search") +
      (text && `?${text}`),
    lost,
  };
}

type Part = (value: never) => Token[] | null;
const one = (name: string, value: string): Token[] => [{ name, value }];

// The token for each condition; null for a value that tokens cannot express.
const parts: Record<string, Part> = {
  tags: (tags: string[]) => tags.flatMap((tag) => one("tag", tag)),
  formats: (formats: string[]) =>
    formats.flatMap((format) =>
      one("type", format === "HEIF" ? "heic" : format.toLowerCase()),
    ),
  orientation: (shape: string) => one("is", shape.toLowerCase()),
  favorite: (favorite: boolean) => (favorite ? one("is", "favorite") : null),
  isTemplate: () => [], // templates are never shown here
  hasGps: (hasGps: boolean) =>
    hasGps ? one("has", "place") : one("place", "none"),
  place: (place: string) => one("place", place),
  near: ({ center, kilometers }: NearFilter) => {
    const at = center.position;
    const middle = at ? `${at.latitude},${at.longitude}` : center.city;
    return middle
      ? one("near", `${middle},${kilometers ?? usualDistance}km`)
      : null;
  },
  bounds: (bounds: GeoBoundsInput) =>
    one(
      "area",
      [bounds.south, bounds.west, bounds.north, bounds.east].join(","),
    ),
  takenBefore: (time: string) => day("before", time),
  takenAfter: (time: string) => day("after", time),
  minWidth: (pixels: number) => one("wider", String(pixels)),
  minHeight: (pixels: number) => one("taller", String(pixels)),
  minRating: (stars: number) => (stars ? one("rating", String(stars)) : []),
  maxRating: (stars: number) => (stars === 0 ? one("rating", "none") : null),
  camera: (camera: string) => one("camera", camera),
  lens: (lens: string) => one("lens", lens),
  folder: (folder: string) => one("folder", folder),
  minSize: (bytes: number) => one("size", `>${sizeWords(bytes)}`),
  maxSize: (bytes: number) => one("size", `<${sizeWords(bytes)}`),
  date: (value: string) => one("date", value),
  color: ({ color, within }: { color: string; within?: number | null }) =>
    within == null ? one("color", nameOf(color)) : null,
};

const nameOf = (color: string): string =>
  [...swatches].find(([, hex]) => hex === color)?.[0] ?? color;

// Formats bytes in the largest unit that gives an integer.
function sizeWords(bytes: number): string {
  const unit = [1e9, 1e6, 1e3].findIndex((size) => bytes % size === 0);
  return bytes && unit >= 0
    ? `${bytes / 10 ** (9 - 3 * unit)}${["gb", "mb", "kb"][unit]}`
    : String(bytes);
}

function tokensOf(filter: FileFilter): { tokens: Token[]; lost: string[] } {
  const tokens: Token[] = [];
  const lost: string[] = [];
  // In a fixed order, regardless of the API's, so that a search always has the same URL.
  const { dateAfter, dateBefore } = filter;
  const date = dateOf({ from: dateAfter ?? null, to: dateBefore ?? null });
  const conditions = new Map<string, unknown>(
    Object.entries(
      date ? { ...filter, dateAfter: null, dateBefore: null, date } : filter,
    ),
  );
  for (const name of new Set([
    ...Object.keys(parts).filter((part) => conditions.has(part)),
    ...conditions.keys(),
  ])) {
    const value: unknown = conditions.get(name);
    if (
      value === null ||
      value === undefined ||
      (Array.isArray(value) && !value.length)
    )
      continue;
    const said = Object.hasOwn(parts, name)
      ? parts[name]!(value as never)
      : null;
    if (said) tokens.push(...said);
    else lost.push(name);
  }
  return { tokens, lost };
}

// 2024, 2024-03 or 2024-03-14; null if the time is not midnight.
function day(name: string, time: string): Token[] | null {
  const iso = new Date(time).toISOString();
  return iso.endsWith("T00:00:00.000Z")
    ? one(
        name,
        iso
          .slice(0, 10)
          .replace(/-01$/, "")
          .replace(/^(\d{4})-01$/, "$1"),
      )
    : null;
}

import type {
  FileFilter,
  FileSort,
  ImageFormat,
  SortOrder,
} from "../api/graphql";

/** One part of a search: a plain word, or a token such as `tag:sea`. */
export type Token = { name: string; value: string };

/** The tokens there are. `colour` is understood for `color`. */
export const tokenNames = [
  "tag",
  "type",
  "is",
  "before",
  "after",
  "wider",
  "taller",
  "color",
  "has",
  "rating",
] as const;

/** Splits what somebody typed into words and tokens. A value with blanks stands in double quotes. */
export function parseQuery(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, name = "", quoted, bare = ""] of text.matchAll(
    /(?:([a-zA-Z]+):)?(?:"([^"]*)"?|(\S+))/g,
  )) {
    const value = quoted ?? bare;
    const known = normalize(name);
    if (!value) continue;
    tokens.push(
      name && !known
        ? { name: "", value: `${name}:${value}` }
        : { name: known, value: american(known, value) },
    );
  }
  return tokens;
}

function normalize(name: string): string {
  const lower = name.toLowerCase().replace(/^colour$/, "color");
  return (tokenNames as readonly string[]).includes(lower) ? lower : "";
}

// The American spelling of a value, which filters and chips know.
const american = (name: string, value: string) =>
  name === "is" && value.toLowerCase() === "favourite" ? "favorite" : value;

/** The text of tokens, which parseQuery reads back. */
export function formatQuery(tokens: Token[]): string {
  // A word that looks like a token stands in quotes too.
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

/** The filter and the words that tokens ask the API for. Tokens that make no sense are left out; `unclear` lists them. */
export function toFilter(tokens: Token[]): {
  filter: FileFilter;
  search: string;
  unclear: Token[];
} {
  const filter: FileFilter = {};
  const words: string[] = [];
  const unclear: Token[] = [];
  for (const token of tokens) {
    if (!token.name) words.push(token.value);
    else if (!apply(filter, token)) unclear.push(token);
  }
  return { filter, search: words.join(" "), unclear };
}

function apply(filter: FileFilter, { name, value }: Token): boolean {
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
    case "color":
      if (!/^(#?[0-9a-f]{3}|#?[0-9a-f]{6}|[a-z]+)$/i.test(value)) return false;
      filter.color = { color: value.replace(/^#/, "") };
      return true;
    case "rating":
      if (!/^[1-5]$/.test(value)) return false;
      filter.minRating = Number(value);
      return true;
    case "wider":
    case "taller": {
      const pixels = Number.parseInt(value, 10);
      if (!(pixels > 0)) return false;
      filter[name === "wider" ? "minWidth" : "minHeight"] = pixels;
      return true;
    }
    default: {
      const time = parseDay(value);
      if (!time) return false;
      filter[name === "before" ? "takenBefore" : "takenAfter"] = time;
      return true;
    }
  }
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

// 2024, 2024-03 or 2024-03-14, as its first moment.
function parseDay(text: string): string | null {
  const [, year, month = "01", day = "01"] =
    /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/.exec(text) ?? [];
  const time = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** The ways to sort, by their name in the address, with the direction that comes first. */
export const sorts: Record<string, { sort: FileSort; order: SortOrder }> = {
  name: { sort: "NAME", order: "ASC" },
  taken: { sort: "TAKEN", order: "DESC" },
  changed: { sort: "MODIFIED", order: "DESC" },
  rating: { sort: "RATING", order: "DESC" },
  size: { sort: "SIZE", order: "DESC" },
  pixels: { sort: "DIMENSIONS", order: "DESC" },
};

/** How an address wants files sorted, `usual` if it does not say: the name of the sort, and what it asks the API for. */
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

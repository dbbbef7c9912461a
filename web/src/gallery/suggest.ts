import { request } from "../api/request";
import { t, type Key } from "../messages/index.svelte";
import { fold } from "../messages/fold";
import { formatCount } from "../messages/format";
import { session } from "../session/session.svelte";
import { TimelineMonths } from "../timeline/documents";
import { Suggest } from "./documents";
import { filterCalled, filterNames } from "./filterNames";
import { isKnown, swatches, tokenName, type Token } from "./query";
import { dateLabel, tokenLabel } from "./tokenLabel";

/** A suggestion: a whole token, or the name of one whose value is typed next. */
export type Option = {
  group: Key;
  token?: Token;
  typed?: string;
  label: string;
  /** The number of files that it finds; undefined if that is not counted. */
  count?: string;
};

/**
 * The word being typed at the end of a text, beginning at `start`. `name` is the name of a filter, even
 * if its translation was typed; it is empty for a plain word.
 */
type Word = { start: number; name: string; value: string };

export function lastWord(text: string): Word {
  const [whole = "", name = "", value = ""] =
    /(?:(\p{L}+)[:：])?("[^"]*|\S*)$/u.exec(text) ?? [];
  const known = tokenName(name);
  return {
    start: text.length - whole.length,
    name: (name && !isKnown(known) && filterCalled(name)) || known,
    value: value.replace(/^"/, ""),
  };
}

/** The values of tokens that have few, in the order of the suggestions. */
export const valuesOf: Record<string, readonly string[]> = {
  type: [
    "jpeg",
    "png",
    "webp",
    "avif",
    "heic",
    "gif",
    "tiff",
    "svg",
    "jxl",
    "jp2",
    "bmp",
    "pdf",
  ],
  is: ["landscape", "portrait", "square", "favorite"],
  has: ["place"],
  place: ["none"],
  rating: ["5", "4", "3", "2", "1", "none"],
  size: [">5mb", ">20mb", "<1mb", "<200kb"],
  color: [...swatches.keys()],
};

const most = 8;

const option = (token: Token, count?: string): Option => ({
  group: filterNames[token.name] ?? "filter.title",
  token,
  label: tokenLabel(token),
  count,
});

/** Suggestions without a request: names of tokens, and values of tokens that have few. */
export function known({ name, value }: Word): Option[] {
  const begins = fold(value);
  const fits = (token: Token) =>
    token.value.startsWith(begins) ||
    fold(tokenLabel(token))
      .split(/\s+/)
      .some((word) => word.startsWith(begins));
  const tokens = (of: string) =>
    (valuesOf[of] ?? []).map((one) => ({ name: of, value: one })).filter(fits);
  if (name) return tokens(name).map((token) => option(token));
  const names = Object.keys(filterNames)
    .filter(
      (one) =>
        one.startsWith(begins) || fold(t(filterNames[one]!)).startsWith(begins),
    )
    .map((one): Option => ({
      group: "filter.title",
      typed: `${one}:`,
      label: t(filterNames[one]!),
    }));
  if (!value) return names;
  return [
    ...(value.length > 1
      ? ["color", "type", "is"].flatMap(tokens).map((token) => option(token))
      : []),
    ...names,
  ];
}

let months: Promise<{ start: string; count: number }[]> | null = null;
let monthsAt = 0;

// The months that have pictures, cached for a minute.
function askMonths() {
  if (months && Date.now() - monthsAt < 60_000) return months;
  monthsAt = Date.now();
  months = request(TimelineMonths, {
    filter: { isTemplate: false },
    search: null,
  }).then(({ timeline }) => timeline ?? []);
  months.catch(() => (months = null));
  return months;
}
session.onLeave(() => (months = null)); // another account sees other folders

async function dates(begins: string): Promise<Option[]> {
  const all = (await askMonths().catch(() => [])).map(({ start, count }) => ({
    value: start.slice(0, 7),
    count,
  }));
  const found = all.filter(({ value }) => value.startsWith(begins.slice(0, 7)));
  const year = begins.slice(0, 4);
  const whole = begins.length <= 4 && /^\d{4}$/.test(year) && found.length > 1;
  const sum = found.reduce((total, { count }) => total + count, 0);
  return [...(whole ? [{ value: year, count: sum }] : []), ...found]
    .slice(0, most)
    .map(({ value, count }) => ({
      group: "filter.dates",
      token: { name: "date", value },
      label: dateLabel(value),
      count: formatCount(count),
    }));
}

const asked = new Set(["tag", "folder", "camera", "lens", "place", "near"]);

/** The server's suggestions for a word. */
export async function ask(word: Word, signal: AbortSignal): Promise<Option[]> {
  const { name, value } = word;
  if (name === "date" || (!name && /^\d{4}(-\d{0,2})?$/.test(value)))
    return [
      ...(await dates(value)),
      ...(name ? [] : await values(word, signal, 3)),
    ];
  if (name && !asked.has(name)) return [];
  if (!name && value.length < 2) return [];
  return values(word, signal, name ? most : 3);
}

async function values(
  { name, value }: Word,
  signal: AbortSignal,
  limit: number,
): Promise<Option[]> {
  const wants = (one: string) => !name || name === one;
  const text = value.replace(/^\//, "").replaceAll("/", " ");
  const found = await request(
    Suggest,
    {
      text,
      limit,
      tags: wants("tag"),
      folders: wants("folder"),
      cameras: wants("camera"),
      lenses: wants("lens"),
      places: wants("place"),
      cities: name === "near",
    },
    { signal },
  );
  const list = (of: string, all: typeof found.tags) =>
    (all ?? []).map(({ value: one, count }) =>
      option({ name: of, value: one }, formatCount(count)),
    );
  return [
    ...list("tag", found.tags),
    ...list("folder", found.folders),
    ...list("camera", found.cameras),
    ...list("lens", found.lenses),
    ...list("place", found.places),
    ...(found.cities ?? []).map((city) =>
      option({ name: "near", value: city.value }),
    ),
  ];
}

/** The text after an option has replaced its last word, and the token that was added. */
export type Chosen = { text: string; token?: Token };

export function choose(text: string, { token, typed }: Option): Chosen {
  const before = text.slice(0, lastWord(text).start);
  return typed ? { text: before + typed } : { text: before, token };
}

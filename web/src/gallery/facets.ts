import type { FileFilter } from "../api/graphql";
import { request } from "../api/request";
import { FacetValues, FileCounts } from "./documents";
import { apply, toFilter, withoutTemplates, type Token } from "./query";
import { valuesOf } from "./suggest";

// Counts the files that each choice of the filter panel finds, combined with all other filters and words of the
// search.

/** The scope of a filter panel: the folder, and additional conditions for each file. */
export type Scope = {
  folder: string;
  admit: (filter: FileFilter) => FileFilter;
};
/**
 * The number of files for each choice, by `keyOf`; empty if the rest of the search finds more than
 * the server counts.
 */
export type Counts = ReadonlyMap<string, number>;
/** A value with its number of files: null for more than 1,000 in the whole library, undefined if unknown. */
export type Value = { value: string; count?: number | null };
/** The values shown as lists and not as buttons. */
export type Listed = Record<"tag" | "camera" | "lens", Value[]>;

/** The key of a choice in `Counts`. */
export const keyOf = ({ name, value }: Token): string => `${name}:${value}`;

const choices: readonly Token[] = [
  "color",
  "rating",
  "is",
  "has",
  "type",
].flatMap((name) => valuesOf[name]!.map((value) => ({ name, value })));

/**
 * The search without the tokens that a choice replaces. Tags add up, and a favorite is independent
 * of the shape.
 */
export function besides(all: Token[], choice: Token): Token[] {
  const isFavorite = ({ value }: Token) => value.toLowerCase() === "favorite";
  return choice.name === "tag"
    ? all
    : all.filter(
        (token) =>
          token.name !== choice.name ||
          (token.name === "is" && isFavorite(token) !== isFavorite(choice)),
      );
}

/** The API's filter for the files that the rest of the search selects. */
function restOf(all: Token[], choice: Token, { folder, admit }: Scope) {
  const { filter, search } = toFilter(besides(all, choice));
  return { folder, filter: admit(filter), search };
}

/** The requests that count all choices. Choices with the same remaining search share one. */
export function questions(all: Token[], scope: Scope) {
  const groups = new Map<
    string,
    { rest: ReturnType<typeof restOf>; choices: Token[] }
  >();
  for (const choice of choices) {
    const rest = restOf(all, choice, scope);
    const key = JSON.stringify(rest);
    const group = groups.get(key);
    if (group) group.choices.push(choice);
    else groups.set(key, { rest, choices: [choice] });
  }
  return [...groups.values()];
}

/** Counts all choices. Throws ApiError. */
export async function countChoices(
  all: Token[],
  scope: Scope,
  signal: AbortSignal,
): Promise<Counts> {
  const counts = new Map<string, number>();
  await Promise.all(
    questions(all, scope).map(async ({ rest, choices: asked }) => {
      const each = asked.map((choice) => {
        const filter: FileFilter = {};
        apply(filter, choice);
        return filter;
      });
      const { fileCounts } = await request(
        FileCounts,
        { ...rest, each },
        { signal },
      );
      asked.forEach((choice, i) => {
        const count = fileCounts?.[i];
        if (count !== undefined) counts.set(keyOf(choice), count);
      });
    }),
  );
  return counts;
}

/** The maximum number of values in a list. */
const most = 30;

/** Loads cameras, lenses, and tags that contain a text, most used first. Throws ApiError. */
export async function listValues(
  all: Token[],
  text: string,
  scope: Scope,
  signal: AbortSignal,
): Promise<Listed> {
  const rest = (name: string) => restOf(all, { name, value: "" }, scope);
  // For the whole library, the index's own counts are good enough, although they include templates.
  const everything =
    !all.length && !scope.folder && scope.admit === withoutTemplates;
  const filterOf = (name: string) => (everything ? null : rest(name).filter);
  const { folder, search } = rest("tag");
  const { tags, cameras, lenses } = await request(
    FacetValues,
    {
      text,
      most,
      folder,
      search: search || null,
      ofTags: filterOf("tag"),
      ofCameras: filterOf("camera"),
      ofLenses: filterOf("lens"),
    },
    { signal },
  );
  const listed = (values: Value[] | null | undefined) =>
    (values ?? []).map(({ value, count }) => ({
      value,
      count: everything ? count : (count ?? undefined),
    }));
  return { tag: listed(tags), camera: listed(cameras), lens: listed(lenses) };
}

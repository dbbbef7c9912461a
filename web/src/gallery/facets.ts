import type { FileFilter } from "../api/graphql";
import { request } from "../api/request";
import { FacetValues, FileCounts } from "./documents";
import { apply, toFilter, withoutTemplates, type Token } from "./query";
import { valuesOf } from "./suggest";

// How many files each choice of the filter panel finds, with all other filters and the words of the search.

/** Where a panel of filters looks: the folder, and what else is asked of each file. */
export type Scope = {
  folder: string;
  admit: (filter: FileFilter) => FileFilter;
};
/** Numbers of files by the text of a choice; none if the rest of the search finds more than the server counts. */
export type Counts = ReadonlyMap<string, number>;
/** A value that files have, with their number: null for more than 1,000 of the whole library, undefined if it is unknown. */
export type Value = { value: string; count?: number | null };
/** The values that are listed rather than offered as buttons. */
export type Listed = Record<"tag" | "camera" | "lens", Value[]>;

/** The text of a choice, by which Counts has its number. */
export const keyOf = ({ name, value }: Token): string => `${name}:${value}`;

const choices: readonly Token[] = [
  "color",
  "rating",
  "is",
  "has",
  "type",
].flatMap((name) => valuesOf[name]!.map((value) => ({ name, value })));

/** The search without what a choice takes the place of. A tag is one more tag, and the favorites are no shape. */
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

/** What the API is asked for a choice: the files that the rest of the search selects. */
function restOf(all: Token[], choice: Token, { folder, admit }: Scope) {
  const { filter, search } = toFilter(besides(all, choice));
  return { folder, filter: admit(filter), search };
}

/** The questions for the numbers of all choices. Those with the same rest of the search are one question. */
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

/** Asks for the numbers of all choices. Throws ApiError. */
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

/** The most values in a list. */
const most = 30;

/** Asks for tags that have a text, cameras and lenses, most used first. Throws ApiError. */
export async function listValues(
  all: Token[],
  text: string,
  scope: Scope,
  signal: AbortSignal,
): Promise<Listed> {
  const rest = (name: string) => restOf(all, { name, value: "" }, scope);
  // For everything, the numbers of the index will do, which include templates.
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

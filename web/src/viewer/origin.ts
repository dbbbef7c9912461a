import { parentOf } from "../gallery/folders.svelte";
import type { Wanted } from "../gallery/pages.svelte";
import {
  parseQuery,
  sorts,
  sortOf,
  toFilter,
  withoutTemplates,
} from "../gallery/query";

/**
 * The query that records in a picture's URL the list from which it is opened, so that the viewer
 * has the same neighbors after a reload. `album` is an album with its own order. `in` is the folder
 * of a list that includes subfolders. The sort is omitted if it is the viewer's default.
 */
export function originOf(
  path: string,
  { folder, recursive, sort, order, album }: Wanted,
  search: string,
): string {
  if (album) return `?album=${album}`;
  const query = new URLSearchParams(search);
  const implied = query.get("q") ? folder === parentOf(path) : !recursive;
  if (implied) query.delete("in");
  else query.set("in", folder);

  const [name, usual] = Object.entries(sorts).find(
    ([, one]) => one.sort === sort,
  )!;
  if (name === "name") query.delete("sort");
  else query.set("sort", name);
  if (order === usual.order) query.delete("order");
  else query.set("order", order.toLowerCase());
  return query.size ? `?${query}` : "";
}

/** The list recorded in a picture's URL; by default that of its folder. */
export function listOf(path: string, query: URLSearchParams): Wanted {
  const album = query.get("album");
  if (album) return albumList(album, "NAME", "ASC");
  const text = query.get("q") ?? "";
  const within = query.get("in");
  const { sort, order } = sortOf(query);
  const { filter, search } = toFilter(parseQuery(text));
  return {
    folder: within ?? parentOf(path),
    recursive: within !== null || text !== "",
    filter: withoutTemplates(filter),
    search,
    sort,
    order,
  };
}

/** The list of an album's files with the given sort. */
export const albumList = (
  album: string,
  sort: Wanted["sort"],
  order: Wanted["order"],
): Wanted => ({
  album,
  folder: "",
  recursive: true,
  filter: {},
  search: "",
  sort,
  order,
});

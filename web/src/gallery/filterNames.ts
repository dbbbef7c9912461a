import { fold } from "../messages/fold";
import { t, type Key } from "../messages/index.svelte";

/** The filters that are suggested by their names, with the names that people read. */
export const filterNames: Record<string, Key> = {
  tag: "filter.tags",
  color: "filter.colors",
  date: "filter.dates",
  folder: "filter.folders",
  camera: "filter.cameras",
  lens: "filter.lenses",
  place: "filter.places",
  near: "filter.near",
  rating: "filter.ratings",
  type: "filter.types",
  size: "filter.sizes",
  is: "filter.shapes",
};

/** The filter that a word names in the language of the application, such as `ort` in German; undefined for none. */
export function filterCalled(typed: string): string | undefined {
  const word = fold(typed);
  const names = Object.entries(filterNames).map(
    ([filter, key]) => [filter, fold(t(key))] as const,
  );
  const found =
    names.find(([, name]) => name === word) ??
    names.find(([, name]) => name.split(" ").some((w) => w.startsWith(word)));
  return found?.[0];
}

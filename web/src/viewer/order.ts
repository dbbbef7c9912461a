import type { FileSort, SortOrder } from "../api/graphql";

/** The fields that lists can be sorted by. */
export type Sortable = {
  name: string;
  size: number;
  modifiedAt: string;
  takenAt?: string | null;
  width?: number | null;
  height?: number | null;
  rating: number;
};

/** Negative if a precedes b in a list, positive if it follows, and 0 if their sort keys are equal. */
export function compareFiles(
  a: Sortable,
  b: Sortable,
  sort: FileSort,
  order: SortOrder,
): number {
  const [x, y] = [keys[sort](a), keys[sort](b)];
  const result = x < y ? -1 : x > y ? 1 : 0;
  return order === "DESC" ? 0 - result : result;
}

const keys: Record<FileSort, (file: Sortable) => string | number> = {
  NAME: (file) => `${file.name.toLowerCase()}\0${file.name}`,
  SIZE: (file) => file.size,
  MODIFIED: (file) => Date.parse(file.modifiedAt),
  TAKEN: (file) => Date.parse(file.takenAt ?? file.modifiedAt),
  DIMENSIONS: (file) => (file.width ?? 0) * (file.height ?? 0),
  RATING: (file) => file.rating,
};

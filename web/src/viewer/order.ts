import type { FileSort, SortOrder } from "../api/graphql";

/** The fields that lists are sorted by. */
export type Sortable = {
  name: string;
  size: number;
  modifiedAt: string;
  takenAt?: string | null;
  width?: number | null;
  height?: number | null;
  rating: number;
};

/** Negative if a comes before b in a list, positive if it comes after, and 0 if their sort keys are equal. */
export function compareFiles(
  a: Sortable,
  b: Sortable,
  sort: FileSort,
  order: SortOrder,
): number {
  const [x, y] = [keyOf(a, sort), keyOf(b, sort)];
  const result = x < y ? -1 : x > y ? 1 : 0;
  return order === "DESC" ? 0 - result : result;
}

function keyOf(file: Sortable, sort: FileSort): string | number {
  switch (sort) {
    case "SIZE":
      return file.size;
    case "MODIFIED":
      return Date.parse(file.modifiedAt);
    case "TAKEN":
      return Date.parse(file.takenAt ?? file.modifiedAt);
    case "DIMENSIONS":
      return (file.width ?? 0) * (file.height ?? 0);
    case "RATING":
      return file.rating;
    default:
      return `${file.name.toLowerCase()}\0${file.name}`;
  }
}

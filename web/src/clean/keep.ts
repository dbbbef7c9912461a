type Copy = { path: string; modifiedAt: string };

/**
 * The paths of all copies except one: the named one, or else the oldest, which is the original of
 * the others.
 */
export function others(
  copies: readonly Copy[],
  kept = oldest(copies),
): string[] {
  return copies.map((copy) => copy.path).filter((path) => path !== kept);
}

function oldest(copies: readonly Copy[]): string | undefined {
  return [...copies].sort(
    (a, b) =>
      Date.parse(a.modifiedAt) - Date.parse(b.modifiedAt) ||
      a.path.length - b.path.length,
  )[0]?.path;
}

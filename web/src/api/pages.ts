/** A page of a connection of the API. */
export type Page<T> = {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
};

/** All items of a connection, but not many more than `most`. `ask` fetches the page after a cursor; null for the first one. */
export async function allOf<T>(
  ask: (after: string | null) => Promise<Page<T> | null | undefined>,
  most = Infinity,
): Promise<T[]> {
  const found: T[] = [];
  for (let after: string | null = null; found.length < most;) {
    const page = await ask(after);
    found.push(...(page?.nodes ?? []));
    after = page?.pageInfo.endCursor ?? null;
    if (!page?.pageInfo.hasNextPage || !after) break;
  }
  return found;
}

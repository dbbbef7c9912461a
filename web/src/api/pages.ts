/** A page of a connection in the API. */
export type Page<T> = {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
};

/**
 * All items of a connection, up to the page that reaches `most`. `ask` fetches the page after a
 * cursor; null for the first page.
 */
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

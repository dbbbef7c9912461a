/** What a path says in the places that a pattern names. */
export type Params = Record<string, string>;

/**
 * Matches a path against a pattern such as `/templates/:name` or `/f/*folder`: `:name` is one segment, `*name` is the
 * rest with its slashes. Returns what stands there, decoded, or null when the path does not match.
 */
export function match(pattern: string, path: string): Params | null {
  const wanted = pattern.split("/").slice(1);
  const given = path.replace(/\/+$/, "").split("/").slice(1);
  const params: Params = {};
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith("*")) {
      params[part.slice(1)] = given.slice(i).map(decode).join("/");
      return params;
    }
    const segment = given[i] ?? "";
    if (part.startsWith(":")) {
      if (!segment) return null;
      params[part.slice(1)] = decode(segment);
    } else if (part !== segment) return null;
  }
  return given.length > wanted.length ? null : params;
}

/** A storage path as a part of an address: each segment escaped, the slashes kept. */
export function escapePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The address of a folder's page; the root's is the first page. */
export const folderAddress = (path: string): string =>
  path ? `/f/${escapePath(path)}` : "/";

/**
 * An address to which a link may lead after a login; that of the first page for any other. Browsers read `/\host`, and
 * `/` with a tab before the next slash, as another site.
 */
export const ownAddress = (wanted: string | null): string =>
  wanted && /^\/(?![/\\\s])/.test(wanted) ? wanted : "/";

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The values of a pattern's placeholders in a path. */
export type Params = Record<string, string>;

/**
 * Matches a path against a pattern such as `/templates/:name` or `/f/*folder`: `:name` is one
 * segment, `*name` is the rest including slashes. Returns the decoded values, or null if the path
 * does not match.
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

/** Escapes each segment of a storage path for a URL and keeps the slashes. */
export function escapePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The URL of a folder's page; for the root, that of the home page. */
export const folderAddress = (path: string): string =>
  path ? `/f/${escapePath(path)}` : "/";

/**
 * The URL to which a link may lead after a login. Anything outside of this site is replaced by the
 * home page. Browsers treat `/\host`, and `/` with a tab before the next slash, as another site.
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

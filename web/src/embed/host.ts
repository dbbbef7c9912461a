/** The messages that this application sends to the page that embeds it. */
export type Message =
  | { source: "safelight"; type: "picked"; files: PickedFile[] }
  | { source: "safelight"; type: "canceled" };

/** A picture as sent to the embedding page. URLs are absolute and signed. */
export type PickedFile = {
  path: string;
  name: string;
  url: string;
  srcset: string;
  width: number | null;
  height: number | null;
  alt: string;
};

/** The page that embeds or opened this one: its origin, which the server trusts, and its window. */
export type Host = {
  origin: string;
  window: Pick<Window, "postMessage">;
  opened: boolean;
};

type Place = { self: unknown; parent: unknown; opener: unknown };

/**
 * The host named in the URL. `stranger`: its origin is not on the allow list; `nobody`: no page
 * embeds or opened this one.
 */
export function hostOf(
  origin: string | null,
  listed: readonly string[],
  place: Place,
): Host | "stranger" | "nobody" {
  const named = normal(origin);
  if (origin && (!named || !listed.includes(named))) return "stranger";
  const framed = place.parent !== place.self;
  const target = (framed ? place.parent : place.opener) as Window | null;
  return named && target
    ? { origin: named, window: target, opened: !framed }
    : "nobody";
}

function normal(origin: string | null): string | null {
  const found = origin && URL.canParse(origin) ? new URL(origin).origin : null;
  return found === origin?.toLowerCase().replace(/\/$/, "") ? found : null;
}

/**
 * Sends a message to the host. The browser delivers it only to a page of that origin, regardless of
 * which page opened this one.
 */
export function tell(host: Host, message: Message): void {
  host.window.postMessage(message, host.origin);
  if (host.opened) close();
}

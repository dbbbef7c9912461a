import { thumbHashToDataURL } from "@safelight/client";

// ThumbHashes rendered as small pictures, once each. The oldest are dropped when there are many.
const drawn = new Map<string, string>();
const maxDrawn = 2000;

/** A data URL of the placeholder; empty if the hash cannot be decoded. */
export function placeholder(hash: string): string {
  const known = drawn.get(hash);
  if (known !== undefined) return known;
  const url = draw(hash);
  if (drawn.size >= maxDrawn) drawn.delete(drawn.keys().next().value!);
  drawn.set(hash, url);
  return url;
}

function draw(hash: string): string {
  try {
    return thumbHashToDataURL(hash);
  } catch {
    return "";
  }
}

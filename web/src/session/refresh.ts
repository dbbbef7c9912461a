/**
 * The share of a token's lifetime after which it is refreshed. It is refreshed at once if less than
 * a minute is left.
 */
const refreshAfter = 0.6;

/** The time at which a token is to be refreshed, in milliseconds since 1970. */
export function refreshAt(kept: {
  issuedAt: number;
  expiresAt: number;
}): number {
  return Math.min(
    kept.issuedAt + (kept.expiresAt - kept.issuedAt) * refreshAfter,
    kept.expiresAt - 60_000,
  );
}

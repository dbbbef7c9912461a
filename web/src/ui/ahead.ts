/**
 * The number of parts of the application that are being preloaded. If one fails to load, the page
 * is not reloaded for it.
 */
export const ahead = { pending: 0 };

/** Preloads a part; not while offline, because Chromium does not retry a module that failed to load. */
export function loadAhead(load: () => Promise<unknown>): void {
  if (!navigator.onLine) return;
  ahead.pending++;
  void load()
    .catch(() => undefined)
    .finally(() => ahead.pending--);
}

/** How many parts of the application are being loaded before anybody asked for them. If one does not come, the page is not loaded again for it. */
export const ahead = { pending: 0 };

/** Loads a part ahead; not while offline, for Chromium does not ask again for a module that did not come. */
export function loadAhead(load: () => Promise<unknown>): void {
  if (!navigator.onLine) return;
  ahead.pending++;
  void load()
    .catch(() => undefined)
    .finally(() => ahead.pending--);
}

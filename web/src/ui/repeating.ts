import { pause } from "../api/pause";

/**
 * Asks again every `ms` milliseconds while the page is visible, until the returned function is
 * called. A failure is not shown: the next answer may come.
 */
export function repeating(
  ask: (signal: AbortSignal) => Promise<unknown>,
  ms: number,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const run = async () => {
    for (;;) {
      await pause(ms, signal);
      if (!document.hidden) await ask(signal).catch(() => undefined);
    }
  };
  run().catch(() => undefined); // only an abort ends it
  return () => stop.abort();
}

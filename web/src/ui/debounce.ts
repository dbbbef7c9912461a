/**
 * Begins something after a pause in milliseconds, for an effect that would otherwise begin it with every key. The effect
 * returns the result: when it runs again or ends, what has begun is aborted, and what has not begun is dropped.
 */
export function debounce(
  pause: number,
  begin: (signal: AbortSignal) => unknown,
): () => void {
  const stop = new AbortController();
  const timer = setTimeout(() => begin(stop.signal), pause);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

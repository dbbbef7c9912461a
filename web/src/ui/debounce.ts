/**
 * Starts a task after a delay in milliseconds, for an effect that would otherwise start it with
 * every key press. Return the result from the effect: when the effect runs again or ends, a running
 * task is aborted, and a pending one is dropped.
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

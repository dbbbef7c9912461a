/** Waits, in milliseconds. Throws the reason of the signal when that aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => (clearTimeout(timer), reject(signal.reason)),
      { once: true },
    );
  });
}

/** Waits as `pause` does, but no longer than until the browser says that the network is back. */
export async function pauseOrOnline(
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const end = () => over.abort();
  addEventListener("online", end, { signal: over.signal });
  signal?.addEventListener("abort", end, { signal: over.signal });
  await pause(ms, over.signal).catch(() => undefined);
  end();
  signal?.throwIfAborted();
}

/** The shortest and the longest pause after a failure, in milliseconds. */
const [shortest, longest] = [1000, 30_000];

/**
 * Milliseconds to wait after so many failures in a row: twice as long each time, up to the longest. Up to half of it is taken away at
 * random, so that not everybody asks a server at the moment at which it is back.
 */
export function backoff(failures: number, random = Math.random()): number {
  const full = Math.min(longest, shortest * 2 ** failures);
  return full - (full / 2) * random;
}

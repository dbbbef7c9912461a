/** Waits for `ms` milliseconds. Throws the signal's reason when it aborts. */
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

/** Waits as `pause` does, but returns early when the browser reports that the network is back. */
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

/** The shortest and longest delay after a failure, in milliseconds. */
const [shortest, longest] = [1000, 30_000];

/**
 * Milliseconds to wait after consecutive failures: exponential backoff up to `longest`, minus a
 * random part of up to half of it, so that not all clients ask a restarted server at the same
 * moment.
 */
export function backoff(failures: number, random = Math.random()): number {
  const full = Math.min(longest, shortest * 2 ** failures);
  return full - (full / 2) * random;
}

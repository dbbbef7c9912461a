import { backoff, pauseOrOnline } from "./pause";
import type { ApiError } from "./request";

/** Whether the same question may have an answer a little later: there was none, or something is wrong with the server for now. */
export function passes(error: unknown): boolean {
  const { code = "INTERNAL", retryAfter } = error as Partial<ApiError>;
  return (
    retryAfter !== undefined ||
    ["OFFLINE", "UNAVAILABLE", "INTERNAL"].includes(code)
  );
}

/**
 * Asks for something that is shown until it is there. `failed` hears of each failure, before it is asked for again: after a pause that
 * grows, or when the network is back. Throws what stays refused, or the signal's reason once that says stop.
 */
export async function insist<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!passes(error)) throw error;
      failed(error);
      const seconds = (error as Partial<ApiError>).retryAfter ?? 0;
      await pauseOrOnline(Math.max(backoff(failures), seconds * 1000), signal);
    }
  }
}

import { backoff, pauseOrOnline } from "./pause";
import type { ApiError } from "./request";

/** Whether the error is temporary: there was no answer, or the server has a passing problem. */
export function passes(error: unknown): boolean {
  const { code = "INTERNAL", retryAfter } = error as Partial<ApiError>;
  return (
    retryAfter !== undefined ||
    ["OFFLINE", "UNAVAILABLE", "INTERNAL"].includes(code)
  );
}

/**
 * Repeats a request until its result can be shown. Calls `failed` for each failure, and repeats the
 * request after an increasing delay, or when the network is back. Throws a permanent refusal, or
 * the signal's reason once it aborts.
 */
export async function insist<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  failed: (error: unknown) => void = () => undefined,
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

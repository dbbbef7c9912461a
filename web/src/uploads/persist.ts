import { backoff, pauseOrOnline } from "../api/pause";
import { ApiError } from "../api/request";

/**
 * The number of attempts while the server refuses temporarily. Without an answer, requests are
 * repeated indefinitely.
 */
export const tries = 7;

/** The longest delay in milliseconds that a server can request. */
const longest = 60_000;

type Options = {
  /** Called with true when there is no answer, and with false when there is one again. */
  waiting?: (now: boolean) => void;
  /** Whether a failed request made progress; the next delay is short then. */
  advanced?: () => boolean;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/**
 * Repeats a request until it is answered, with increasing delays that are at least as long as the
 * server asks for. A refused request is not repeated, unless the server says when, or a change of
 * the same path is in progress. Throws the last error, or the signal's reason once it aborts.
 */
export async function persist<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  options: Options = {},
): Promise<T> {
  const {
    waiting = () => undefined,
    advanced = () => false,
    wait = pauseOrOnline,
  } = options;
  for (let [failures, refusals] = [0, 0]; ; failures++) {
    try {
      const answer = await ask();
      waiting(false);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const cut = isCut(error);
      waiting(cut);
      if (advanced()) failures = refusals = 0;
      if (!cut && (!passes(error) || ++refusals >= tries)) throw error;
      const seconds = (error as Partial<ApiError>).retryAfter ?? 0;
      await wait(
        Math.max(backoff(failures), Math.min(longest, seconds * 1000)),
        signal,
      );
    }
  }
}

// Whether there was no answer, or none in time.
function isCut(error: unknown): boolean {
  return error instanceof ApiError
    ? error.code === "OFFLINE"
    : error instanceof DOMException && error.name === "TimeoutError";
}

function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  // A conflict without a path means that a request whose answer was lost is still running.
  return (
    error.retryAfter !== undefined ||
    (error.code === "CONFLICT" && error.field !== "path")
  );
}

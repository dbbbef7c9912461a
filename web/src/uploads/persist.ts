import { backoff, pauseOrOnline } from "../api/pause";
import { ApiError } from "../api/request";

/** How often something is asked that the server refuses for now. Without an answer it is asked for as long as it takes. */
export const tries = 7;

/** The longest pause that a server can ask for, in milliseconds. */
const longest = 60_000;

type Options = {
  /** Called with true when there was no answer, and with false when there is one again. */
  waiting?: (now: boolean) => void;
  /** Whether a question that broke off has brought something all the same: the next pause is short then. */
  advanced?: () => boolean;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/**
 * Asks until there is an answer, with pauses that grow and are as long as the server asks for. What it refuses is not asked again, unless
 * it says when, or a change of the same path is under way. Throws the last error, or the signal's reason once that says stop.
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

// No answer came, or none in time.
function isCut(error: unknown): boolean {
  return error instanceof ApiError
    ? error.code === "OFFLINE"
    : error instanceof DOMException && error.name === "TimeoutError";
}

function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  // A conflict that is about no path: a request whose answer was lost is still at work.
  return (
    error.retryAfter !== undefined ||
    (error.code === "CONFLICT" && error.field !== "path")
  );
}

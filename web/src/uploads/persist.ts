import { pause } from '../api/pause'
import { ApiError } from '../api/request'

/** After a broken connection it is tried again after these times, in milliseconds, then it waits for the person. */
export const retries = [500, 1000, 3000, 5000, 10_000, 20_000]

/** The longest pause that a server can ask for, in milliseconds. */
const longest = 60_000

/**
 * Asks until there is an answer, with pauses that grow and are as long as the server asks for. What it refuses is not asked again, unless it says when; nor is anything
 * while the browser knows that it is offline. Throws the last error, or the signal's reason once that says stop.
 */
export async function persist<T>(ask: () => Promise<T>, signal: AbortSignal, wait = pause): Promise<T> {
  for (const delay of retries) {
    try {
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      if (!passes(error)) throw error
      await wait(Math.max(delay, Math.min(longest, (after(error) ?? 0) * 1000)), signal)
    }
  }
  return ask()
}

const after = (error: unknown) => (error instanceof ApiError ? error.retryAfter : undefined)

function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.code === 'OFFLINE') return navigator.onLine
  // A conflict that is about no path: a request whose answer was lost is still at work.
  return error.retryAfter !== undefined || (error.code === 'CONFLICT' && error.field !== 'path')
}

/** The statuses of a server that is too busy for a picture, and of a proxy that cannot reach the server. */
const busy = [429, 502, 503];
const tooLong = 504;

/** Why a picture did not load. */
export type Refusal = {
  /** Whether it has loaded by now, and is in the browser's cache for the element. */
  came: boolean;
  /** Seconds after which to retry; 0 if the server does not say. */
  seconds: number;
  /** Whether the failure is temporary: the server is busy or unreachable. */
  passes: boolean;
};

/**
 * Requests a picture to find out why it did not load, which an element does not reveal. Returns
 * null if the refusal is permanent. Throws only the signal's reason.
 */
export async function refusal(
  url: string,
  signal: AbortSignal,
): Promise<Refusal | null> {
  try {
    const response = await fetch(url, { credentials: "same-origin", signal });
    if (response.ok) {
      await response.blob();
      return { came: true, seconds: 0, passes: false };
    }
    void response.body?.cancel();
    const seconds = Number(response.headers.get("Retry-After")) || 0;
    const passes = busy.includes(response.status);
    return passes || response.status === tooLong
      ? { came: false, seconds, passes }
      : null;
  } catch {
    signal.throwIfAborted();
    // A network error; for another host, CORS may allow only elements to load its pictures.
    const own = new URL(url, location.href).origin === location.origin;
    return { came: false, seconds: 0, passes: own };
  }
}

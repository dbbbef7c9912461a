/** What the server answers when it has no time for a picture now, and a proxy that does not reach the server. */
const busy = [429, 502, 503];
const tooLong = 504;

/** Why a picture did not come. */
export type Refusal = {
  /** It is here now, and the browser keeps it for the element that shows it. */
  came: boolean;
  /** Seconds after which the server wants to be asked again; 0 if it does not say. */
  seconds: number;
  /** Whether it only takes patience: the server is busy or away. */
  passes: boolean;
};

/**
 * Asks the server why a picture did not come: an element is not told. Returns null if the picture stays refused. Throws
 * only the signal's reason.
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
    // The network; of another host it may be that only elements may load its pictures.
    const own = new URL(url, location.href).origin === location.origin;
    return { came: false, seconds: 0, passes: own };
  }
}

import { backoff, pauseOrOnline } from "../api/pause";
import { refusal } from "./refused";

/** The number of retries for a picture that times out, or that is received and cannot be decoded. */
const tries = 3;

/**
 * Loads and decodes a picture. While the server is busy or the network is down, it is requested
 * again after increasing delays, or when the network is back. Rejects if the refusal is permanent,
 * and with the signal's reason.
 */
export async function decoded(
  url: string,
  signal: AbortSignal,
): Promise<HTMLImageElement> {
  try {
    return await decode(url);
  } catch {
    signal.throwIfAborted();
    return await arrived(url, signal);
  }
}

async function decode(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}

// Waits until a failed picture can be loaded.
async function arrived(
  url: string,
  signal: AbortSignal,
): Promise<HTMLImageElement> {
  for (let failures = 0, doubts = 0; ; failures++) {
    const why = await refusal(url, signal);
    if (why?.came) {
      try {
        return await decode(url);
      } catch {
        signal.throwIfAborted();
      }
    }
    if (!why || (!why.passes && ++doubts > tries))
      throw new Error(`The picture ${url} did not come.`);
    await pauseOrOnline(
      Math.max(backoff(failures), why.seconds * 1000),
      signal,
    );
  }
}

/**
 * For an `<img>` whose picture may fail to load: it is requested again, as `decoded` does, and
 * shown when it has loaded. `lost` is called with a URL that is permanently refused.
 */
export const insistent =
  (lost?: (url: string) => void) => (image: HTMLImageElement) => {
    let stop = new AbortController();
    const url = () => image.getAttribute("src") ?? "";
    const failed = () => {
      stop.abort();
      stop = new AbortController();
      const [wanted, { signal }] = [url(), stop];
      arrived(wanted, signal).then(
        () => url() === wanted && image.setAttribute("src", wanted),
        () => signal.aborted || lost?.(wanted),
      );
    };
    const shown = () => stop.abort();
    image.addEventListener("error", failed);
    image.addEventListener("load", shown);
    return () => {
      stop.abort();
      image.removeEventListener("error", failed);
      image.removeEventListener("load", shown);
    };
  };

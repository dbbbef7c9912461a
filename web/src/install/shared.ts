import { pastedName, type Picked } from "../uploads/pick";

// The cache in which the service worker stores files shared with the application; see public/app/worker.js.
const place = "safelight.shared";

/** Milliseconds after which shared files that were not uploaded are removed. */
const patience = 3_600_000;

/** The shared files that are not uploaded yet, in their order. */
export async function readShared(now = Date.now()): Promise<Picked[]> {
  const cache = await caches.open(place);
  const found: Picked[] = [];
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    const { headers } = answer ?? {};
    if (!answer || !headers) continue;
    if (now - Number(headers.get("X-Shared")) > patience) {
      await cache.delete(request);
      continue;
    }
    const name = decodeURIComponent(headers.get("X-Name") ?? "");
    const file = new File([await answer.blob()], name, {
      type: headers.get("Content-Type") ?? "",
      lastModified: Number(headers.get("X-Modified")),
    });
    found.push({ file, path: pastedName(file, new Date(now)), only: true });
  }
  return found;
}

/** Removes the shared files. */
export const forgetShared = (): Promise<unknown> =>
  "caches" in window ? caches.delete(place) : Promise.resolve();

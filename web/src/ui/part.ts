import { backoff, pauseOrOnline } from "../api/pause";
import { t } from "../messages/index.svelte";
import { toasts } from "./toasts.svelte";

/**
 * Loads a module of a page, and retries after increasing delays or when the network is back. Until
 * it has loaded, a message offers to retry at once.
 */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  let note: number | undefined;
  for (let failures = 0; ; failures++) {
    try {
      const loaded = await load();
      if (note !== undefined) toasts.close(note);
      return loaded;
    } catch {
      const again = new AbortController();
      if (note !== undefined) toasts.close(note);
      note = toasts.show("error", t("ui.notLoaded"), {
        label: t("ui.again"),
        run: () => again.abort(),
      });
      await pauseOrOnline(backoff(failures), again.signal).catch(
        () => undefined,
      );
    }
  }
}

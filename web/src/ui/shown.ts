import { insist } from "../api/insist";
import { messageOf } from "../api/request";
import { tellError } from "../gallery/actions";
import { debounce } from "./debounce";
import { toasts } from "./toasts.svelte";

/**
 * Repeats a request until a page can show the result or the signal aborts. A message explains the
 * delay, and disappears afterwards; a permanent refusal is shown.
 */
export async function untilShown(
  ask: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  let note: number | undefined;
  try {
    await insist(ask, signal, (error) => {
      note ??= toasts.show("error", messageOf(error));
    });
  } catch (error) {
    if (!signal.aborted) tellError(error);
  } finally {
    if (note !== undefined) toasts.close(note);
  }
}

/** Like untilShown, for an effect, which returns the result. */
export const showing = (ask: (signal: AbortSignal) => Promise<unknown>) =>
  debounce(0, (signal) => untilShown(() => ask(signal), signal));

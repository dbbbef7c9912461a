import { t } from "../messages/index.svelte";
import { toasts } from "./toasts.svelte";

/** Copies a text and shows the message `done`, or an error. */
export async function copyText(
  text: string,
  done = t("ui.copied"),
): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toasts.show("told", done);
  } catch {
    toasts.show("error", t("ui.notCopied"));
  }
}

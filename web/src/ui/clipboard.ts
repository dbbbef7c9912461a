import { t } from "../messages/index.svelte";
import { toasts } from "./toasts.svelte";

/** Copies a text, and says whether that worked. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toasts.show("done", t("viewer.copied"));
  } catch {
    toasts.show("error", t("viewer.notCopied"));
  }
}

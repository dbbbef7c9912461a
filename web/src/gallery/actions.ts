import { ApiError } from "../api/request";
import { t } from "../messages/index.svelte";
import { toasts } from "../ui/toasts.svelte";

/** Shows an error as a toast. */
export function tellError(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  toasts.show(
    "error",
    error instanceof ApiError ? error.message : t("error.unknown"),
  );
}

import { ApiError, isAbort } from "../api/transport";
import { t } from "../messages/index.svelte";
import { toasts } from "../ui/toasts.svelte";

/** Shows an error as a toast. */
export function tellError(error: unknown): void {
  if (isAbort(error)) return;
  toasts.show(
    "error",
    error instanceof ApiError ? error.message : t("error.unknown"),
  );
}

import { ApiError, messageOf } from "../api/request";
import { language, t } from "../messages/index.svelte";

/** The message of an error, in the person's language if there is a translation. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.unknown");
  switch (error.code) {
    case "LOGIN_FAILED":
      return t("login.wrong");
    case "RATE_LIMITED":
      return t("login.tooMany", { n: error.retryAfter ?? 60 });
    case "GUEST_DISABLED":
      return t("login.noGuests");
    default:
      if (error.field?.endsWith("filter.near.center.city"))
        return t("error.noCity");
      // Translations of the server's messages are not part of the initial bundle; the text changes once they
      // have loaded.
      if (error.code !== "OFFLINE" && language.current !== "en")
        language.whole().catch(() => undefined);
      return messageOf(error);
  }
}

import { ApiError, messageOf } from "../api/request";
import { language, t } from "../messages/index.svelte";

/** What an error says, in the person's language as far as the application knows it. */
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
      // The first view has no translations of what the server says; the text changes when they are there.
      if (error.code !== "OFFLINE" && language.current !== "en")
        language.whole().catch(() => undefined);
      return messageOf(error);
  }
}

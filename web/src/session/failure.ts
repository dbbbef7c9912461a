import { ApiError } from "../api/request";
import { t } from "../messages/index.svelte";

/** A refusal of the session's routes in the person's words; an error of the API's own words otherwise. */
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
      return error.message;
  }
}

import { ApiError } from "../api/transport";
import { t } from "../messages/index.svelte";
import { explain } from "./failure";
import { isDismissed } from "./webauthn";

/** Explains an error of a factor; empty if the person cancelled. */
export function explainFactor(error: unknown): string {
  if (isDismissed(error)) return "";
  if (error instanceof DOMException)
    return t(
      error.name === "InvalidStateError"
        ? "factor.passkeyTwice"
        : "factor.passkeyFailed",
    );
  if (!(error instanceof ApiError)) return explain(error);
  switch (error.code) {
    case "LOGIN_FAILED":
    case "INVALID":
      if (error.field === "password") return t("factor.passwordWrong");
      return t(
        error.field === "credential" ? "factor.passkeyFailed" : "factor.wrong",
      );
    case "UNAUTHENTICATED":
      return t("factor.expired");
    default:
      return explain(error);
  }
}

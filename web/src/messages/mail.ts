import type { Language as MailLanguage } from "../api/graphql";
import { ApiError, messageOf } from "../api/request";
import { language, t } from "./index.svelte";

/** The language of the server's e-mails for this person, as the API names it. */
export const languageOf = (): MailLanguage =>
  language.current.toUpperCase().replace("-", "_") as MailLanguage;

/** Explains an error about an address or a message in the person's language. */
export function explainMail(error: unknown): string {
  if (error instanceof ApiError) {
    const atAddress = error.field === "to" || error.field === "email";
    if (error.code === "INVALID" && atAddress) return t("reset.noAddress");
    if (error.code === "CONFLICT" && atAddress) return t("me.emailTaken");
    if (error.code === "RATE_LIMITED") return t("reset.tooMany");
  }
  return messageOf(error);
}

import type { Language as MailLanguage } from "../api/graphql";
import { language } from "./index.svelte";

/** The language in which the server writes messages for this person, as the API names it. */
export const languageOf = (): MailLanguage =>
  language.current.toUpperCase().replace("-", "_") as MailLanguage;

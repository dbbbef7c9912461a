import type en from "./en.json";
import { Phrases, type Subject } from "./phrases";

/** The available languages, each by its own name. */
export const languages = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  "pt-BR": "Português (Brasil)",
  ja: "日本語",
  zh: "简体中文",
} as const;
export type Language = keyof typeof languages;
export type Catalogue = typeof en;
export type Key = keyof Catalogue;
type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
type Values = Record<string, string | number>;

const place = "safelight.language";
// The messages of the first page, and those of pages that are opened later, as split by build/messages.ts.
const first = import.meta.glob<Catalogue>("./*.json", {
  import: "default",
  query: "?first",
});
const late = import.meta.glob<Catalogue>("./*.json", {
  import: "default",
  query: "?late",
});

const server = import.meta.glob<Record<string, string>>("./server/*.json", {
  import: "default",
});
/** Loads the translations of server texts; null for English, in which the server writes them. */
async function phrasesOf(language: Language): Promise<Phrases | null> {
  if (language === "en") return null;
  const [english, own] = await Promise.all([
    server["./server/en.json"]!(),
    server[`./server/${language}.json`]!(),
  ]);
  return new Phrases(english, own);
}

class Chosen {
  #catalogue = $state.raw<Record<string, Message>>({});
  #current = $state<Language>("en");
  #plurals: Intl.PluralRules | null = null;
  #late = false;
  #whole: Promise<void> | null = null;
  #phrases = $state.raw<Phrases | null>(null);

  get current(): Language {
    return this.#current;
  }

  /** Loads a catalogue and applies it; `keep` stores the choice. */
  async use(language: Language, keep = false): Promise<void> {
    const name = `./${language}.json`;
    const [phrases, ...parts] = await Promise.all([
      this.#late ? phrasesOf(language).catch(() => null) : null, // English is used then
      first[name]!(),
      this.#late ? late[name]!() : {},
    ]);
    this.#phrases = phrases;
    this.#catalogue = Object.assign({}, ...parts) as Record<string, Message>;
    this.#current = language;
    this.#plurals = null;
    document.documentElement.lang = language;
    if (keep) localStorage.setItem(place, language);
  }

  /** Also loads the messages of pages that are opened later. */
  whole(): Promise<void> {
    if (this.#whole) return this.#whole;
    this.#late = true;
    return (this.#whole = this.use(this.#current).catch((error: unknown) => {
      this.#whole = null; // the next page retries
      throw error;
    }));
  }

  /** The translations of server texts, once the messages of later pages are loaded; null in English. */
  get phrases(): Phrases | null {
    return this.#phrases;
  }

  #formOf(n: number): Intl.LDMLPluralRule {
    this.#plurals ??= new Intl.PluralRules(this.#current);
    return this.#plurals.select(n);
  }

  text(key: Key, values: Values): string {
    const message = this.#catalogue[key];
    if (message === undefined) return key;
    return fill(
      typeof message === "string"
        ? message
        : (message[this.#formOf(Number(values.n))] ?? message.other ?? key),
      values,
      this.#current,
    );
  }
}

export const language = new Chosen();

/**
 * A message in the person's language. `{name}` is replaced by a value; a message with plural forms
 * needs `n`.
 */
export function t(key: Key, values: Values = {}): string {
  return language.text(key, values);
}

/** Translates a text from the server to the person's language. */
export const said = (subject: Subject, text: string): string =>
  language.phrases?.translate(subject, text) ?? text;

/** The server's text for a key, such as a setting, in the person's language. */
export const named = (key: string, english: string): string =>
  language.phrases?.of(key, english) ?? english;

/** Replaces `{name}` placeholders; numbers are formatted for the locale. */
export function fill(message: string, values: Values, locale: string): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    // Creating the first formatter takes 40 ms on a slow phone; small integers are formatted alike in all
    // languages.
    return typeof value !== "number" ||
      (Number.isInteger(value) && value >= 0 && value < 1000)
      ? String(value)
      : new Intl.NumberFormat(locale).format(value);
  });
}

/** The initial language: the stored choice, or else the first available one that the browser prefers. */
export function preferred(
  kept = localStorage.getItem(place),
  asked: readonly string[] = navigator.languages,
): Language {
  if (kept && kept in languages) return kept as Language;
  for (const tag of asked) {
    const base = tag.toLowerCase().split("-")[0];
    const found = (Object.keys(languages) as Language[]).find(
      (l) =>
        l.toLowerCase() === tag.toLowerCase() ||
        l.toLowerCase().split("-")[0] === base,
    );
    if (found) return found;
  }
  return "en";
}

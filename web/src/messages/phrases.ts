type Texts = Readonly<Record<string, string>>;
/** The subject of a server text: the first word of its key. */
export type Subject =
  "explain" | "warning" | "storage" | "finding" | "shown" | "font";
type Pattern = {
  key: string;
  names: string[];
  pattern: RegExp;
  /** The number of fixed characters. */
  words: number;
};

// Placeholders that contain a server text themselves, and its subject.
const inner: Readonly<Record<string, string>> = {
  step: "explain",
  expected: "expected",
  fault: "storage",
  vertical: "place",
  horizontal: "place",
  x: "place",
  y: "place",
};
const numbers = new Set(["width", "height", "low", "high", "n", "queue"]);

/**
 * Translates texts from the server. The catalogue `server/en.json` has the server's English with
 * placeholders such as `{width}`; those of the other languages have the same keys. A text without a
 * matching pattern stays in English.
 */
export class Phrases {
  readonly #own: Texts;
  readonly #patterns: readonly Pattern[];

  constructor(english: Texts, own: Texts) {
    this.#own = own;
    // Patterns with more fixed characters are tried earlier; those that contain another text are tried first.
    const rank = ({ names, words }: Pattern) =>
      names.includes("step") ? Infinity : words;
    this.#patterns = Object.entries(english)
      .map(([key, text]) => compiled(key, text))
      .sort((a, b) => rank(b) - rank(a) || 0);
  }

  /** The text for a key, or the server's own if there is none. */
  of(key: string, english: string): string {
    return this.#own[key] ?? english;
  }

  /** Translates a text from the server to the catalogue's language. */
  translate(subject: string, text: string): string {
    for (const { key, names, pattern } of this.#patterns) {
      const match = key.startsWith(`${subject}.`) && pattern.exec(text);
      const own = match && this.#own[key];
      if (!own) continue;
      return own.replace(/\{(\w+)\}/g, (whole, name: string) => {
        const value = match[names.indexOf(name) + 1] ?? whole;
        const about = inner[name];
        return about ? this.translate(about, value) : value;
      });
    }
    return text;
  }
}

function compiled(key: string, text: string): Pattern {
  const names: string[] = [];
  const source = text
    .split(/\{(\w+)\}/)
    .map((part, i) => {
      if (i % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      names.push(part);
      if (numbers.has(part)) return "(-?[\\d.]+|its own)";
      return part === "color" && names.includes("step") ? "(\\S+)" : "(.+?)";
    })
    .join("");
  const words = text.replace(/\{\w+\}/g, "").length;
  return { key, names, words, pattern: new RegExp(`^${source}$`, "is") };
}

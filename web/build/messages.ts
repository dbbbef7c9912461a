import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** The first words of the messages of pages that hardly anybody opens first. They are a file of their own, see `later` in shell/routes.ts. */
export const late: readonly string[] = [
  "admin",
  "album",
  "bulk",
  "clean",
  "editor",
  "embed",
  "factor",
  "files",
  "keys",
  "viewer",
  "map",
  "me",
  "palette",
  "reset",
  "sessions",
  "setup",
  "share",
  "shares",
  "signin",
  "templates",
  "trash",
  "uploads",
  "visit",
];

const isLate = (key: string) => late.includes(key.slice(0, key.indexOf(".")));

/** The part of a catalogue that the first page needs, or the rest of it. */
export function part(
  catalogue: Record<string, unknown>,
  name: string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(catalogue).filter(
      ([key]) => isLate(key) === (name === "late"),
    ),
  );
}

const prefix = "\0messages:";

/** Makes `messages/en.json?first` and `messages/en.json?late` modules of the two parts of a catalogue. */
export function messageParts(root: string): Plugin {
  return {
    name: "safelight-messages",
    enforce: "pre",
    resolveId(id) {
      const [, language, name] =
        /\/([\w-]+)\.json\?(first|late)$/.exec(id) ?? [];
      return language && name ? `${prefix}${language}-${name}` : undefined;
    },
    load(id) {
      if (!id.startsWith(prefix)) return;
      const [, language, name] = /([\w-]+)-(\w+)$/.exec(id)!;
      const file = `${root}/src/messages/${language}.json`;
      this.addWatchFile(file);
      return `export default ${JSON.stringify(part(JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>, name!))}`;
    },
  };
}

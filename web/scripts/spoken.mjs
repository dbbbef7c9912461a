// Finds what a page shows by its English name while the page is in another language: steps are written once, in English.
import { readFileSync } from "node:fs";

const texts = (language) =>
  Object.entries(
    JSON.parse(
      readFileSync(
        new URL(`../src/messages/${language}.json`, import.meta.url),
        "utf8",
      ),
    ),
  ).flatMap(([key, text]) =>
    typeof text === "string"
      ? [[key, text]]
      : Object.entries(text).map(([form, of]) => [`${key} ${form}`, of]),
  );
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const value = /\{(\w+)\}/g;

/** What a language says for the English `name`, as a pattern of all that it may be; the name itself where it says nothing. */
function spoken(name, english, own, exact) {
  const said = new Set();
  const other = new Map(own);
  const say = (key, values) =>
    (other.get(key) ?? other.get(key.replace(/ \w+$/, " other")))?.replace(
      value,
      (_, of) => values[of] ?? "",
    );
  for (const [key, text] of english) {
    let n = 0;
    const names = [];
    const pattern = escaped(text).replace(/\\\{(\w+)\\\}/g, (_, of) => {
      names.push(of);
      return `(?<v${n++}>.+)`;
    });
    const found = new RegExp(`^${pattern}$`, "i").exec(name);
    if (found && names.length < text.split(/\s/).length)
      said.add(
        say(
          key,
          Object.fromEntries(names.map((of, i) => [of, found.groups[`v${i}`]])),
        ),
      );
  }
  // A part of a text is looked for by the longest piece of it that has no value.
  if (!said.size)
    for (const [key, text] of english)
      if (text.toLowerCase().includes(name.toLowerCase()))
        said.add(
          other
            .get(key)
            ?.split(/\{\w+\}/)
            .toSorted((a, b) => b.length - a.length)[0]
            .trim(),
        );
  said.delete(undefined);
  if (!said.size) return name;
  const any = [...said].map(escaped).join("|");
  return new RegExp(exact ? `^(?:${any})$` : any, "i");
}

/** Makes the page, and what is found in it, understand English names although it speaks `language`, a name of src/messages. */
export function understandEnglish(page, language) {
  const english = texts("en");
  const own = texts(language);
  const name = (of, exact) =>
    typeof of === "string" ? spoken(of, english, own, exact) : of;
  const wrap = (found) => {
    for (const by of ["getByText", "getByLabel"]) {
      const plain = found[by].bind(found);
      found[by] = (text, options) =>
        wrap(plain(name(text, options?.exact), options));
    }
    const role = found.getByRole.bind(found);
    found.getByRole = (kind, options) =>
      wrap(
        role(
          kind,
          options && { ...options, name: name(options.name, options.exact) },
        ),
      );
    for (const step of ["locator", "first", "last", "nth", "or"]) {
      const plain = found[step]?.bind(found);
      if (plain) found[step] = (...of) => wrap(plain(...of));
    }
    return found;
  };
  wrap(page);
}

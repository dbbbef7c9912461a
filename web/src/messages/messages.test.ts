import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { formatPercent, formatRelative } from "./format";
import { late } from "../../build/messages";
import { fill, languages } from "./index.svelte";

type Message = string | Record<string, string>;
const read = (language: string) =>
  JSON.parse(
    readFileSync(new URL(`./${language}.json`, import.meta.url), "utf8"),
  ) as Record<string, Message>;
const sources = () =>
  readdirSync(new URL("..", import.meta.url), {
    recursive: true,
    encoding: "utf8",
  }).filter(
    (file) =>
      /\.(ts|svelte)$/.test(file) &&
      !file.includes(".test.") &&
      !file.startsWith("api/gen"),
  );
const readSource = (file: string) =>
  readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const english = read("en");
const forms = (message: Message) =>
  typeof message === "string" ? [message] : Object.values(message);
const places = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

describe.each(Object.keys(languages))("%s", (language) => {
  const catalogue = read(language);
  test("has exactly the expected messages", () => {
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(english).sort());
  });
  test("has the same placeholders, and the plural forms of its language", () => {
    const plurals = new Intl.PluralRules(language).resolvedOptions()
      .pluralCategories;
    for (const [key, message] of Object.entries(catalogue)) {
      expect(typeof message, key).toBe(typeof english[key]);
      for (const form of forms(message)) {
        expect(form, key).not.toBe("");
        expect(places(form), key).toEqual(places(forms(english[key]!).at(-1)!));
      }
      if (typeof message !== "string")
        expect(Object.keys(message).sort(), key).toEqual([...plurals].sort());
    }
  });
});

test("every message is used, and every used message exists", () => {
  const source = sources().map(readSource).join("\n");
  // Keys may consist of a fixed beginning and a variable: t(`sort.${name}`).
  const made = [...source.matchAll(/`([a-z]\w*(?:\.\w+)*\.)\$\{/gi)].map(
    (match) => match[1]!,
  );
  const unused = Object.keys(english).filter(
    (key) =>
      !source.includes(`"${key}"`) &&
      !made.some((start) => key.startsWith(start)),
  );
  expect(unused).toEqual([]);
});

// The pages that wait for the second part of a catalogue, see `later` in shell/routes.ts, and the upload tray,
// which App loads with it.
const waits =
  /^(admin|albums|clean|editor|embed|files|install|map|palette|shares|templates|trash|viewer)\/|^session\/(Setup|Signin|Reset|Me|Sess|Sec|AppSetup|Recovery|Confirm|factorFailure|revoke)|^(uploads\/Tray|messages\/mail|gallery\/TagDialog)/;

test("messages of the second part are used only by pages that wait for it", () => {
  const early = sources().filter((file) => !waits.test(file));
  const used = early.filter(
    (file) =>
      late.some((name) =>
        new RegExp(`\\bt\\(\\s*["\`]${name}\\.`).test(readSource(file)),
      ) || /from "(\.\.\/files|\.)\/(bulk|changes)"/.test(readSource(file)), // whose messages report what was done
  );
  expect(used).toEqual([]);
});

test("numbers are formatted for the language", () => {
  expect(
    fill("{n} of {all}, {who}", { n: 1234, all: 2, who: "Ada" }, "de"),
  ).toBe("1.234 of 2, Ada");
  expect(fill("{missing}", {}, "en")).toBe("{missing}");
  expect(fill("{n}", { n: 1.5 }, "de")).toBe("1,5");
});

// Creating a formatter is slow on a phone, and the first view shows only a few small numbers.
test("small integers are formatted without a formatter, with the same result", () => {
  for (const language of Object.keys(languages))
    for (const n of [0, 1, 42, 999])
      expect(new Intl.NumberFormat(language).format(n)).toBe(String(n));
  const made = vi.spyOn(Intl, "NumberFormat");
  expect(fill("{n} pictures", { n: 999 }, "ja")).toBe("999 pictures");
  expect(made).not.toHaveBeenCalled();
  made.mockRestore();
});

test.each([
  [-5.9, "5 seconds ago"],
  [-86_400 * 1.9, "yesterday"],
  [86_400 * 29.999, "in 30 days"],
  [86_400 * 2.2, "in 2 days"],
])("a time %d s from now is %s", (seconds, text) => {
  expect(formatRelative(new Date(1e12 + seconds * 1000), 1e12)).toBe(text);
});

test.each([
  ["en", 0.37, "37%"],
  ["de", 0.37, "37 %"],
  ["fr", 1, "100 %"],
  ["en", 0.045, "4.5%"],
  ["de", 0.045, "4,5 %"],
  ["ja", 2, "200%"],
])("in %s, %d is written %s", (locale, share, text) => {
  // Languages use different non-breaking spaces there.
  expect(formatPercent(share, locale).replace(/\s/g, " ")).toBe(text);
});

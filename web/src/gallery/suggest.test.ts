import { expect, test, vi } from "vitest";
import de from "../messages/de.json";
import en from "../messages/en.json";
import fr from "../messages/fr.json";
import ja from "../messages/ja.json";
import { meantBy } from "./meant";
import { formatQuery, parseQuery } from "./query";
import { known, lastWord } from "./suggest";

const catalogues: Record<string, Record<string, unknown>> = { de, en, fr, ja };
let language: string;
vi.mock("../messages/index.svelte", () => ({
  t: (key: string) => catalogues[language]![key],
}));
vi.mock("../session/session.svelte", () => ({
  session: { onLeave: () => undefined },
}));
vi.mock("../api/request", () => ({ request: () => undefined }));
vi.mock("../timeline/documents", () => ({ TimelineMonths: "" }));
vi.mock("./documents", () => ({ Suggest: "" }));

test.each([
  ["de", "ort:kyo", "place", "kyo"],
  ["de", "Ort:", "place", ""],
  ["de", "dateigröße:5", "size", "5"],
  ["de", "nähe:Kyoto", "near", "Kyoto"],
  ["fr", "etiquettes:mer", "tag", "mer"],
  ["ja", "場所:京都", "place", "京都"],
  ["ja", "色：赤", "color", "赤"],
  ["de", "place:kyo", "place", "kyo"],
  ["de", "is:port", "is", "port"],
  ["en", "ort:kyo", "ort", "kyo"],
  ["de", "kyo", "", "kyo"],
])("in %s the last word of %s is of %s", (now, text, name, value) => {
  language = now;
  expect(lastWord(`x ${text}`)).toEqual({ start: 2, name, value });
});

test("a filter that is typed in one's language has suggestions", () => {
  language = "de";
  const [first] = known(lastWord("farbe:gel"));
  expect(first?.token).toEqual({ name: "color", value: "yellow" });
});

test.each([
  ["de", "ort:Kyoto", "place:Kyoto"],
  ["ja", "場所:京都", "place:京都"],
  ["ja", "評価:4", "rating:4"],
  ["fr", "lieu:Kyoto", "place:Kyoto"],
  ["de", "bewertung:9", null],
])("in %s, %s is meant to be %s", (now, text, meant) => {
  language = now;
  const token = meantBy(parseQuery(text)[0]!);
  expect(token && formatQuery([token])).toBe(meant);
});

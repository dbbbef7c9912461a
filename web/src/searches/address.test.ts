import { expect, test } from "vitest";
import { addressOf, keptOf, type Kept } from "./address";

test.each([
  "/search?q=sunset+sea",
  "/search?q=%22tag%3Asea%22+x",
  "/search?q=tag%3A%22north+sea%22+type%3Ajpeg+type%3Aheic+is%3Aportrait&sort=taken",
  "/search?q=is%3Afavorite+has%3Aplace+rating%3A4+color%3A2a6f8f",
  "/search?q=before%3A2024+after%3A2020-03+before%3A2024&sort=size&order=asc",
  "/search?q=after%3A2020-03-14+wider%3A3000+taller%3A2000&order=desc",
  "/f/a%20b/c?q=x",
  "/search?q=color%3Ared+camera%3A%22Z+6%22+lens%3A85mm+folder%3A%2FTokyo+rating%3Anone",
  "/search?q=size%3A%3E5mb+size%3A%3C1500kb+date%3A2024-06",
  "/search?q=2024-06-30",
  "/search?q=date%3A2024+sea",
  "/search?q=date%3A2023-12..2024-02",
  "/search?q=date%3A2023-12..",
])("%s is kept and opened again", (address) => {
  const { pathname, searchParams } = new URL(address, "http://here");
  const kept = keptOf(pathname, searchParams);
  const { href, lost } = addressOf(kept);
  expect(lost).toEqual([]);
  const again = new URL(href, "http://here");
  expect(keptOf(again.pathname, again.searchParams)).toEqual(kept);
  expect(addressOf(kept).href).toBe(href);
});

test("the order of conditions does not change the URL", () => {
  const at = (filter: Kept["filter"]) => addressOf({ ...kept, filter }).href;
  expect(at({ orientation: "LANDSCAPE", formats: ["PNG"], minWidth: 5 })).toBe(
    at({ minWidth: 5, formats: ["PNG"], orientation: "LANDSCAPE" }),
  );
});

const kept: Kept = {
  folder: "",
  recursive: true,
  search: "sea",
  filter: {},
  sort: "NAME",
  order: "ASC",
};
test.each([
  ["nothing", {}, "/search?q=sea", []],
  [
    "nulls",
    { filter: { tags: [], minWidth: null, minRating: 0 } },
    "/search?q=sea",
    [],
  ],
  [
    "bytes",
    { filter: { minSize: 5, minWidth: 9, maxHeight: 8 } },
    "/search?q=sea+wider%3A9+size%3A%3E5",
    ["maxHeight"],
  ],
  [
    "a distance",
    { filter: { color: { color: "teal", within: 0.2 } } },
    "/search?q=sea",
    ["color"],
  ],
  [
    "a time of day",
    { filter: { takenAfter: "2024-01-01T10:00:00Z" } },
    "/search?q=sea",
    ["takenAfter"],
  ],
  [
    "an offset",
    { filter: { takenAfter: "2024-01-01T00:00:00+00:00" } },
    "/search?q=sea+after%3A2024",
    [],
  ],
  [
    "a moment",
    {
      filter: {
        dateAfter: "2024-01-01T10:00:00Z",
        dateBefore: "2024-01-01T23:59:59.999999999Z",
      },
    },
    "/search?q=sea",
    ["dateAfter", "dateBefore"],
  ],
  [
    "no favorites",
    { filter: { favorite: false } },
    "/search?q=sea",
    ["favorite"],
  ],
  [
    "one folder alone",
    { folder: "a", recursive: false },
    "/f/a?q=sea",
    ["recursive"],
  ],
])("a search saved by another program: %s", (_, change, href, lost) => {
  expect(addressOf({ ...kept, ...change })).toEqual({ href, lost });
});

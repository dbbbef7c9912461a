import { expect, test } from "vitest";
import { sizesOf, wantedOf, within } from "./wanted";

test.each([
  ["", { multiple: false, formats: null, width: null }],
  [
    "multiple=true&type=image&width=1200",
    { multiple: true, formats: null, width: 1200 },
  ],
  [
    "multiple=yes&type=jpg,png,exe&width=-3",
    { multiple: false, formats: ["JPEG", "PNG"], width: null },
  ],
  ["width=1e999", { multiple: false, formats: null, width: null }],
])("%s", (query, want) => {
  expect(wantedOf(new URLSearchParams(query))).toEqual(want);
});

test("a search is limited to the types that the host accepts", () => {
  const wanted = wantedOf(new URLSearchParams("type=jpeg,png"));
  expect(within(wanted, { minWidth: 9 })).toEqual({
    minWidth: 9,
    formats: ["JPEG", "PNG"],
  });
  expect(within(wanted, { formats: ["PNG", "GIF"] }).formats).toEqual(["PNG"]);
  expect(within(wanted, { formats: ["GIF"] }).formats).toEqual(["JPEG", "PNG"]);
});

test.each([
  [null, 6000, { width: null, widths: [480, 960, 1600, 2400, 6000] }],
  [1200, 6000, { width: 1200, widths: [480, 960, 1200] }],
  [1200, 300, { width: 300, widths: [300] }],
  [null, null, { width: null, widths: [480, 960, 1600, 2400] }],
])("a width of %s for a picture %s pixels wide", (wanted, source, want) => {
  expect(sizesOf(wanted, source)).toEqual(want);
});

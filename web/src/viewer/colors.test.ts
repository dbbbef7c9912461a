import { expect, test } from "vitest";
import { ownAddress, placeText, swatches } from "./colors";

test("a palette consists of colors with shares; anything else is omitted", () => {
  expect(
    swatches([
      { r: 25, g: 179, b: 0, share: 0.77 },
      { r: 255, g: 255, b: 255 },
    ]),
  ).toEqual([
    { color: "#19b300", share: 0.77 },
    { color: "#ffffff", share: 0 },
  ]);
  expect(
    swatches([
      { r: 256, g: 0, b: 0 },
      { r: "red", g: 0, b: 0 },
      null,
      { r: 1, g: 2 },
    ]),
  ).toEqual([]);
  for (const other of [undefined, null, {}, "red"])
    expect(swatches(other)).toEqual([]);
});

test("a location is formatted for map services", () => {
  expect(placeText({ latitude: 59.912730555, longitude: -10.7 })).toBe(
    "59.91273, -10.70000",
  );
});

test("a URL with the base URL's origin is requested from the page's origin", () => {
  expect(
    ownAddress(
      "https://cdn.example/sig=/meta/filters:palette(6)/a%20b.jpg?v=1-2",
      "http://127.0.0.1:8000",
    ),
  ).toBe("/sig=/meta/filters:palette(6)/a%20b.jpg?v=1-2");
  expect(ownAddress("/sig=/meta/a.jpg", "http://127.0.0.1:8000")).toBe(
    "/sig=/meta/a.jpg",
  );
});

import { describe, expect, test } from "vitest";
import {
  areaOf,
  boundsOf,
  formatQuery,
  nearOf,
  parseQuery,
  sortOf,
  toFilter,
  withColor,
} from "./query";
import { meantBy } from "./meant";

test.each([
  [
    "sun set",
    [
      { name: "", value: "sun" },
      { name: "", value: "set" },
    ],
  ],
  [
    "tag:sea Type:png",
    [
      { name: "tag", value: "sea" },
      { name: "type", value: "png" },
    ],
  ],
  [
    'tag:"north sea" x',
    [
      { name: "tag", value: "north sea" },
      { name: "", value: "x" },
    ],
  ],
  ["colour:teal", [{ name: "color", value: "teal" }]],
  ["is:Favourite", [{ name: "is", value: "favorite" }]],
  ["note:x", [{ name: "note", value: "x" }]],
  ['"note:x"', [{ name: "", value: "note:x" }]],
  ["tag:", [{ name: "", value: "tag:" }]],
  ["2024-06", [{ name: "date", value: "2024-06" }]],
  ["2024-06-31", [{ name: "", value: "2024-06-31" }]],
  ["2024", [{ name: "", value: "2024" }]],
  ['"2024-06"', [{ name: "", value: "2024-06" }]],
  [
    "日本 東京",
    [
      { name: "", value: "日本" },
      { name: "", value: "東京" },
    ],
  ],
  ["  ", []],
])("%s", (text, tokens) => {
  expect(parseQuery(text)).toEqual(tokens);
});

test("a formatted query is parsed back", () => {
  const tokens = [
    { name: "tag", value: "north sea" },
    { name: "", value: "sun" },
    { name: "", value: "tag:sea" },
    { name: "", value: "2024-06" },
    { name: "date", value: "2024-06" },
    { name: "camera", value: "NIKON Z 6" },
    { name: "odd", value: "x" },
    { name: "color", value: "#2a6f8f" },
  ];
  expect(parseQuery(formatQuery(tokens))).toEqual(tokens);
});

test.each([
  ["rating:4 is:favorite", { minRating: 4, favorite: true }],
  ["is:favourite", { favorite: true }],
  ["type:jpg type:HEIC", { formats: ["JPEG", "HEIF"] }],
  ["type:doc type:constructor", {}],
  ["rating:6", {}],
  ["rating:x is:portrait", { orientation: "PORTRAIT" }],
  ["rating:none", { maxRating: 0 }],
  [
    "camera:z lens:85mm folder:/Tokyo",
    { camera: "z", lens: "85mm", folder: "/Tokyo" },
  ],
  ["camera:? folder:/", {}],
  ["size:5mb", { minSize: 5_000_000 }],
  ["size:>1.5kB", { minSize: 1500 }],
  ["size:<200", { maxSize: 200 }],
  ["size:big", {}],
  ["color:red", { color: { color: "cc2a2a" } }],
  ["color:crimson", { color: { color: "crimson" } }],
  [
    "2024-02",
    {
      dateAfter: "2024-02-01T00:00:00.000Z",
      dateBefore: "2024-02-29T23:59:59.999999999Z",
    },
  ],
  [
    "date:2024",
    {
      dateAfter: "2024-01-01T00:00:00.000Z",
      dateBefore: "2024-12-31T23:59:59.999999999Z",
    },
  ],
  [
    "date:2023-12-31..2024-01",
    {
      dateAfter: "2023-12-31T00:00:00.000Z",
      dateBefore: "2024-01-31T23:59:59.999999999Z",
    },
  ],
  ["date:2024-06..", { dateAfter: "2024-06-01T00:00:00.000Z" }],
  ["date:..2024-06", { dateBefore: "2024-06-30T23:59:59.999999999Z" }],
  ["date:..", {}],
  ["date:2024..2023 date:soon date:2024..2025..2026", {}],
])("%s is a filter", (text, filter) => {
  expect(toFilter(parseQuery(text)).filter).toEqual(filter);
});

test("a token without a value hides nothing", () => {
  const { search } = toFilter(parseQuery("sunset camera: ort: 場所："));
  expect(search).toBe("sunset");
});

test("tokens are converted to a filter", () => {
  const { filter, search, unclear } = toFilter(
    parseQuery(
      'sunset tag:a tag:"b c" type:jpg is:portrait before:2024-03 after:2020 wider:3000 taller:10 color:#2a6f8f has:gps is:odd wider:x before:soon foo:bar',
    ),
  );
  expect(search).toBe("sunset");
  expect(filter).toMatchObject({
    tags: ["a", "b c"],
    formats: ["JPEG"],
    orientation: "PORTRAIT",
    takenBefore: "2024-03-01T00:00:00.000Z",
    takenAfter: "2020-01-01T00:00:00.000Z",
    minHeight: 10,
    color: { color: "2a6f8f" },
    hasGps: true,
  });
  expect(unclear.map((token) => token.value)).toEqual([
    "odd",
    "x",
    "soon",
    "bar",
  ]);
});

test.each([
  ["", { name: "name", sort: "NAME", order: "ASC" }],
  ["sort=size", { name: "size", sort: "SIZE", order: "DESC" }],
  ["sort=size&order=asc", { name: "size", sort: "SIZE", order: "ASC" }],
  ["order=desc", { name: "name", sort: "NAME", order: "DESC" }],
  ["sort=constructor&order=up", { name: "name", sort: "NAME", order: "ASC" }],
])("?%s sorts", (query, sort) => {
  expect(sortOf(new URLSearchParams(query))).toEqual(sort);
});

describe("places", () => {
  const filterOf = (q: string) => toFilter(parseQuery(q));
  test("a name, or none", () => {
    expect(filterOf('place:"Kyoto, JP"').filter).toEqual({
      place: "Kyoto, JP",
    });
    expect(filterOf("place:none").filter).toEqual({ hasGps: false });
    expect(filterOf("place:...").unclear).toHaveLength(1);
  });
  test.each([
    ["Tokyo", { center: { city: "Tokyo" }, kilometers: 25 }],
    ["Tokyo,5km", { center: { city: "Tokyo" }, kilometers: 5 }],
    [
      "Paris, Texas, 500m",
      { center: { city: "Paris, Texas" }, kilometers: 0.5 },
    ],
    [
      "35.6,139.7",
      {
        center: { position: { latitude: 35.6, longitude: 139.7 } },
        kilometers: 25,
      },
    ],
    [
      "-35.6, -139.7, 2 km",
      {
        center: { position: { latitude: -35.6, longitude: -139.7 } },
        kilometers: 2,
      },
    ],
    ["91,0", null],
    ["0,181", null],
    ["1,2,3", null],
    ["12", null],
    ["Tokyo,0km", null],
    ["Tokyo,9000km", null],
    ["", null],
  ])("near %s", (value, near) => {
    expect(nearOf(value)).toEqual(near);
  });
  test("an area of the map, accurate to a meter", () => {
    const bounds = { south: 34.9, west: 135.1, north: 35.123456, east: 136 };
    const area = areaOf(bounds);
    expect(area).toBe("34.9,135.1,35.12346,136");
    expect(boundsOf(area)).toEqual({ ...bounds, north: 35.12346 });
    expect(areaOf({ south: -90, west: -180, north: 90, east: 180 })).toBe(
      "-90,-180,90,180",
    );
    for (const text of ["1,2,3", "1,2,0,4", "1,2,3,181", "a,b,c,d"])
      expect(boundsOf(text)).toBeNull();
  });
});

test.each([
  ["taken:2019", "date:2019"],
  ["Taken:2019-05..2020", "date:2019-05..2020"],
  ["ratng:4", "rating:4"],
  ["fodler:trip", "folder:trip"],
  ["tags:sea", "tag:sea"],
  ["taken:soon", null], // not a date
  ["rated:9", null],
  ["constructor:x", null],
  ["iso:400", null],
])("%s is perhaps meant to be %s", (text, meant) => {
  const token = meantBy(parseQuery(text)[0]!);
  expect(token && formatQuery([token])).toBe(meant);
});

test.each([
  ["red", "red", "color:red"],
  ["tokyo Rot", "red", "tokyo color:red"],
  ["color:blue rot red", "red", "color:blue color:red red"],
  ["tag:red", undefined, undefined],
  ["infrared", undefined, undefined],
])("the color that a word of %s names", (text, color, query) => {
  const found = withColor(parseQuery(text), (color) =>
    color === "red" ? "Rot" : color,
  );
  expect(found?.color).toBe(color);
  expect(found && formatQuery(found.tokens)).toBe(query ?? null);
});

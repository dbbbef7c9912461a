import { expect, test } from "vitest";
import { toEnvelope } from "../editor/envelope";
import { format } from "../editor/format";
import { parse } from "../editor/parse";
import { declared } from "./library";
import { hasMarks, mark, showAll } from "./marks";

const of = (path: string) => parse(`${path}/x`)!.operations;
const envelope = (layers: unknown[]) =>
  JSON.stringify({
    version: "1.0",
    transformations: { imagePath: "a.jpg", layers },
  });
const text = (marks: object, words = "a") => ({
  type: "text",
  text: words,
  ...marks,
});

test("every layer is shown, at every depth, and nothing else changes", () => {
  const before = {
    version: "1.0",
    kept: [1],
    transformations: {
      width: 5,
      layers: [
        { type: "text", visible: false },
        {
          type: "group",
          x: 1,
          transforms: { layers: [{ visible: false, locked: true }] },
        },
        { type: "group", layers: [{ visible: false }] },
      ],
    },
  };
  expect(JSON.parse(showAll(JSON.stringify(before)))).toEqual({
    version: "1.0",
    kept: [1],
    transformations: {
      width: 5,
      layers: [
        { type: "text", visible: true },
        {
          type: "group",
          x: 1,
          visible: true,
          transforms: { layers: [{ visible: true, locked: true }] },
        },
        { type: "group", visible: true, layers: [{ visible: true }] },
      ],
    },
  });
});

// The path that the server creates with all layers shown; the layers in the envelope; the document.
test.each([
  [
    "filters:blur(2):text(a,0,0):text(b,0,0)",
    [text({ visible: false }), text({ locked: true })],
    "filters:blur(2):-text(a,0,0):_text(b,0,0)/",
  ],
  [
    "filters:text(a,0,0):text(b,0,0)",
    [
      text({}),
      text({ visible: false }, " "),
      text({ visible: false, locked: true }),
    ],
    "filters:text(a,0,0):-_text(b,0,0)/",
  ],
  // Filters of a template's own list precede its layers, and follow those of a group.
  [
    "filters:text(own,0,0):text(a,0,0)",
    [text({ visible: false })],
    "filters:text(own,0,0):-text(a,0,0)/",
  ],
  [
    "filters:image(fxf/filters:text(a,0,0):text(own,0,0)/color:none,0,0)",
    [{ type: "group", transforms: { layers: [text({ locked: true })] } }],
    "filters:image(fxf/filters:_text(a,0,0):text(own,0,0)/color:none,0,0)/",
  ],
  [
    "filters:image(300x0/filters:text(a,0,0):image(9x9/b.jpg,1,2)/c.jpg,0,0,50)",
    [
      {
        type: "image",
        visible: false,
        layers: [text({})],
        transforms: { layers: [{ type: "image", visible: false }] },
      },
    ],
    "filters:-image(300x0/filters:text(a,0,0):-image(9x9/b.jpg,1,2)/c.jpg,0,0,50)/",
  ],
])("%s", (path, layers, marked) =>
  expect(format(mark(of(path), envelope(layers))!, true)).toBe(marked),
);

test.each([
  ["filters:text(a,0,0)", [text({}), text({ visible: false })]],
  ["filters:image(b.jpg,0,0)", [text({ visible: false })]],
  [
    "filters:image(b.jpg,0,0)",
    [{ type: "group", transforms: { layers: [text({ visible: false })] } }],
  ],
])("%s has other layers", (path, layers) =>
  expect(mark(of(path), envelope(layers))).toBeNull(),
);

test("an envelope declares its variables", () => {
  expect(
    declared(
      '{"variables":[{"name":"T","type":"text"},{"name":"L","type":"image","default":"a.png"}]}',
    ),
  ).toEqual([
    { name: "T", type: "TEXT", default: "" },
    { name: "L", type: "IMAGE", default: "a.png" },
  ]);
  expect(declared("{}")).toEqual([]);
});

test("the editor can open what it saves", () => {
  const o = of(
    "800x600/filters:blur(2):-image(100x0/logo.png,5,5):_text(a,0,0):image(fxf/filters:-text(b,9,9):_image(10x10/color:ff0000,1,2)/color:none,0,0)",
  );
  const { json } = toEnvelope(
    o,
    "a.jpg",
    { width: 800, height: 600 },
    "predefined",
  );
  expect(hasMarks(json)).toBe(true);
  expect(json).not.toBe(showAll(json));
  expect(
    hasMarks(
      toEnvelope(
        of("800x600/filters:text(a,0,0)"),
        "a.jpg",
        { width: 800, height: 600 },
        "predefined",
      ).json,
    ),
  ).toBe(false);
  const shown = of(
    "800x600/filters:blur(2):image(100x0/logo.png,5,5):text(a,0,0):image(fxf/filters:text(b,9,9):image(10x10/color:ff0000,1,2)/color:none,0,0)",
  );
  expect(mark(shown, json)).toEqual(o);
});

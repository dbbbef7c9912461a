import { describe, expect, test } from "vitest";
import { toEnvelope } from "./envelope";
import { focalOf, setFocal } from "./focal";
import {
  groupLayers,
  layersOf,
  lockLayer,
  toggleLayer,
  ungroupLayer,
} from "./layers";
import { keepMarks } from "./marks";
import { levelsOf, rebuild, within } from "./nesting";
import { format } from "./format";
import { nothing, type Operations } from "./operations";
import { parse, parseLayer } from "./parse";
import { previewPath, scaled } from "./preview";

const of = (path: string): Operations =>
  parse(`${path}${path ? "/" : ""}x`)!.operations;
const source = { width: 4000, height: 3000 };
const sizes = { "logo.png": { width: 500, height: 250 } };
const walk = (
  path: string,
  inside: number[],
  known: Record<string, { width: number; height: number }> = sizes,
) => levelsOf(of(path), "x", source, inside, known);

describe("levels", () => {
  test("are the picture and the open layers", () => {
    const { levels } = walk(
      "800x600/filters:image(f-200xf/filters:blur(2):image(100x0/logo.png,0,0)/color:none,0,0)",
      [0, 1],
    );
    expect(
      levels.map(({ image, source, size }) => ({ image, source, size })),
    ).toEqual([
      { image: "x", source, size: { width: 800, height: 600 } },
      {
        image: "color:none",
        source: { width: 600, height: 600 },
        size: { width: 600, height: 600 },
      },
      {
        image: "logo.png",
        source: { width: 500, height: 250 },
        size: { width: 100, height: 50 },
      },
    ]);
    expect(
      previewPath(levels[1]!.alone, levels[1]!.image, levels[1]!.source, 1),
    ).toBe(
      "600x600/filters:blur(2):image(100x0/logo.png,0,0):preview():format(webp)/color:none",
    );
  });
  test.each([
    [[3], 1, ""],
    [[1], 1, ""],
    [[0], 1, "logo.png"],
  ])("end at %j", (inside, length, missing) => {
    const found = walk("filters:image(logo.png,0,0):text(a,0,0)", inside, {});
    expect([found.levels.length, found.missing]).toEqual([length, missing]);
  });
  test("a change within a layer updates the whole document, and leaves the rest unchanged", () => {
    const path =
      "800x600/filters:blur(1):image(f-200xf/filters:image(100x0/logo.png,0,0)/color:none,5,6,40,multiply)";
    const { levels } = walk(path, [1, 0]);
    const now = rebuild(levels, {
      ...levels[2]!.operations,
      filters: [
        { name: "blur", args: "3" },
        { name: "text", args: "a,0,0", hidden: true },
      ],
    });
    expect(format(now)).toBe(
      "800x600/filters:blur(1):image(f-200xf/filters:image(100x0/filters:blur(3)/logo.png,0,0)/color:none,5,6,40,multiply)/",
    );
    expect(format(now, true)).toContain(
      "100x0/filters:blur(3):-text(a,0,0)/logo.png",
    );
    expect(rebuild(levels.slice(0, 1), nothing())).toEqual(nothing());
  });
});

test.each([
  ["fxf", 0, 0],
  ["f-20xfull", 20, 0],
  ["f+5x100", -5, undefined],
  ["-fx-f", 0, 0],
])("sides of a parent: %s", (size, fullWidth, fullHeight) => {
  const { operations, image } = parseLayer(`${size}/a.png`)!;
  expect([operations.fullWidth, operations.fullHeight, image]).toEqual([
    fullWidth,
    fullHeight,
    "a.png",
  ]);
  expect(parseLayer(`${format(operations)}a.png`)!.operations).toEqual(
    operations,
  );
  expect(parse(`${size}/a.png`)!.image).toBe(`${size}/a.png`);
});
test.each([
  ["30px0", 30, undefined],
  ["12.5px-100p", 12.5, 100],
  ["20x7p", undefined, 7],
])("percent of a parent: %s", (size, percentWidth, percentHeight) => {
  const { operations, image } = parseLayer(`${size}/a.png`)!;
  expect([operations.percentWidth, operations.percentHeight, image]).toEqual([
    percentWidth,
    percentHeight,
    "a.png",
  ]);
  expect(parseLayer(`${format(operations)}a.png`)!.operations).toEqual(
    operations,
  );
});
test("sides relative to a parent become pixels, and scale", () => {
  const { operations } = parseLayer("f-20xf/a.png")!;
  expect(format(within(operations, { width: 800, height: 600 }))).toBe(
    "780x600/",
  );
  expect(format(scaled(operations, source, 0.5)!)).toBe("f-10xf/");
});

describe("groups", () => {
  const three = of("filters:blur(1):text(a,0,0):text(b,center,5):text(c,9,9)");
  test("contain neighboring layers in order", () => {
    const first = groupLayers(three, layersOf(three)[1]!)!;
    expect(format(first.operations)).toBe(
      "filters:blur(1):image(fxf/filters:text(a,0,0):text(b,center,5)/color:none,0,0):text(c,9,9)/",
    );
    expect(
      layersOf(first.operations).map(({ kind, title }) => [kind, title]),
    ).toEqual([
      ["text", "c"],
      ["group", "a, b"],
    ]);
    const second = groupLayers(
      first.operations,
      layersOf(first.operations)[0]!,
    )!;
    expect(second.at).toBe(1);
    expect(layersOf(second.operations).map(({ title }) => title)).toEqual([
      "a, b, c",
    ]);
    expect(
      ungroupLayer(second.operations, layersOf(second.operations)[0]!),
    ).toEqual(three);
  });
  test("reject filters that are not layers", () =>
    expect(groupLayers(three, layersOf(three)[2]!)).toBeNull());
  test.each([
    "image(fxf/filters:text(a,0,0):blur(2)/color:none,0,0)",
    "image(100xf/filters:text(a,0,0)/color:none,0,0)",
    "image(fxf/filters:text(a,0,0)/color:none,0,0,50)",
    "image(fxf/filters:text(a,0,0)/color:none,5,0)",
    "text(a,0,0)",
  ])("%s is more than a group", (filter) => {
    const o = of(`filters:${filter}`);
    expect(ungroupLayer(o, layersOf(o)[0]!)).toBeNull();
  });
  test("are groups in a template, including locked parts", () => {
    const o = of(
      "800x600/filters:image(fxf/filters:_text(a,0,0):-image(50x0/logo.png,1,2)/color:none,0,0):rgb(1,2,3):label(x,0,0)",
    );
    const { json, lost } = toEnvelope(o, "a.jpg", source, "predefined");
    const { transformations } = JSON.parse(json) as {
      transformations: { layers: unknown[] };
    };
    expect(transformations.layers).toMatchObject([
      {
        type: "group",
        transforms: {
          widthFull: true,
          heightFull: true,
          layers: [
            { type: "text", text: "a", locked: true },
            { type: "image", visible: false, imagePath: "logo.png" },
          ],
        },
      },
    ]);
    expect(lost).toEqual(["rgb", "label"]);
  });
});

describe("hidden and locked flags", () => {
  const o = of(
    "filters:text(a,0,0):text(b,0,0):image(fxf/filters:text(c,0,0)/color:none,0,0)",
  );
  test("are in the document and not in the URL", () => {
    const marked = toggleLayer(lockLayer(o, layersOf(o)[1]!), layersOf(o)[2]!);
    expect(format(marked, true)).toMatch(
      /^filters:-text\(a,0,0\):_text\(b,0,0\):image/,
    );
    expect(parse(`${format(marked, true)}x`)!.operations).toEqual(marked);
    expect(format(marked)).toMatch(/^filters:text\(b,0,0\):image/);
    expect(
      layersOf(marked).map(({ hidden, locked }) => [hidden, locked]),
    ).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ]);
  });
  test("stay when a URL is typed", () => {
    const before = of(
      "filters:-blur(9):_text(a,0,0):-text(b,0,0):image(fxf/filters:-text(c,0,0):text(d,0,0)/color:none,0,0)",
    );
    const typed = of(
      "300x0/filters:text(a,0,0):brightness(3):image(fxf/filters:text(d,0,0)/color:none,0,0)",
    );
    expect(format(keepMarks(typed, before), true)).toBe(
      "300x0/filters:-blur(9):_text(a,0,0):-text(b,0,0):brightness(3):image(fxf/filters:-text(c,0,0):text(d,0,0)/color:none,0,0)/",
    );
    expect(format(keepMarks(of(""), before), true)).toBe(
      "filters:-blur(9):-text(b,0,0)/",
    );
  });
});

test.each([
  ["", null],
  ["focal(0.2,0.4)", { x: 0.2, y: 0.4 }],
  ["focal(1000x750)", { x: 0.25, y: 0.25 }],
  ["focal(0x0:2000x1500)", { x: 0.25, y: 0.25 }],
  ["focal(a,b)", null],
  ["focal(9000,10)", { x: 1, y: 10 / 3000 }],
])("the point of %s", (filter, point) => {
  expect(focalOf(of(filter && `filters:${filter}`), source)).toEqual(point);
});
test("a focal point replaces other settings that choose the visible part", () => {
  expect(
    format(
      setFocal(of("300x300/left/top/smart/filters:blur(1)"), {
        x: 0.12345,
        y: 2,
      }),
    ),
  ).toBe("300x300/filters:focal(0.123,1):blur(1)/");
});

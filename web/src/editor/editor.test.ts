import { encodeLayerImage, encodeText } from "@safelight/client";
import { describe, expect, test } from "vitest";
import { fromAddress, insideOf, toAddress } from "./address";
import { alone } from "./boxes";
import { dragBox, fitRatio, toCrop, type Box } from "./crop";
import { toEnvelope } from "./envelope";
import {
  addFilter,
  channels,
  numberOf,
  setFilter,
  setSlide,
  light,
  turn,
  turned,
} from "./filters";
import { History } from "./history.svelte";
import {
  addLayer,
  changeLayer,
  decodeText,
  formatFont,
  layersOf,
  newColor,
  newImage,
  newText,
  parseFont,
  raiseLayer,
  toggleLayer,
} from "./layers";
import { format } from "./format";
import { nothing, type Operations } from "./operations";
import { parse } from "./parse";
import { anchored, movePosition, startOf } from "./position";
import { beforeOf, previewPath, scaled, uncropped } from "./preview";
import { cropBox, leveled, resultSize, straightened } from "./size";
import { stepOf } from "./step";
import { straighten } from "./straighten";
import { asUnit, follows, fontPixels, sizedFont } from "./units";

const of = (path: string): Operations =>
  parse(`${path}${path ? "/" : ""}x`)!.operations;
const source = { width: 4000, height: 3000 };

describe("filters", () => {
  test("a new filter goes to its usual place, an existing one stays where it is", () => {
    const o = setFilter(
      setFilter(of("filters:text(a):quality(80)"), "blur", "2"),
      "brightness",
      "5",
    );
    expect(format(o)).toBe(
      "filters:brightness(5):blur(2):text(a):quality(80)/",
    );
    expect(
      format(setFilter(of("filters:quality(80):blur(1)"), "blur", "9")),
    ).toBe("filters:quality(80):blur(9)/");
    expect(format(setFilter(o, "blur", null))).toBe(
      "filters:brightness(5):text(a):quality(80)/",
    );
  });
  test("an alias is the same filter", () => {
    expect(
      format(setFilter(of("filters:greyscale()"), "grayscale", null)),
    ).toBe("");
  });
  test("sliders", () => {
    expect(format(setSlide(nothing(), light[4]!, 12))).toBe(
      "filters:brightness(12)/",
    );
    expect(format(setSlide(of("filters:brightness(12)"), light[4]!, 0))).toBe(
      "",
    );
    const blue = setSlide(of("filters:rgb(5)"), channels[2]!, -7);
    expect(format(blue)).toBe("filters:rgb(5,0,-7)/");
    expect(numberOf(blue, "rgb", 2)).toBe(-7);
  });
  test("a clockwise turn is 270 degrees counter-clockwise, and four turns are none", () => {
    expect(format(turn(nothing(), 1))).toBe("filters:rotate(270)/");
    expect(format(turn(nothing(), -1))).toBe("filters:rotate(90)/");
    expect(format([1, 1, 1, 1].reduce(turn, nothing()))).toBe("");
    expect(turned(of("filters:rotate(90)"))).toBe(90);
  });
});

describe("layers", () => {
  const two = addLayer(
    addLayer(nothing(), newText("Hi, (you)")).operations,
    newImage("a b/logo.png"),
  ).operations;
  test("are read from the filters, topmost first", () => {
    expect(format(two)).toBe(
      "filters:text(Hi%2C%20%28you%29,center,center,sans-bold-8p,ffffff,0,normal,90p,centre):image(25px0/a%20b/logo.png,center,center)/",
    );
    expect(layersOf(two).map(({ kind, title }) => [kind, title])).toEqual([
      ["image", "logo.png"],
      ["text", "Hi, (you)"],
    ]);
    expect(
      layersOf(of("filters:image(9x9/color:ff0000,1,2,40)"))[0],
    ).toMatchObject({
      kind: "color",
      title: "ff0000",
      args: { x: "1", alpha: "40", blend: "normal" },
    });
  });
  test("change, and omit arguments with default values", () => {
    const [image, text] = layersOf(two);
    expect(changeLayer(two, image!, { alpha: "30" }).filters[1]!.args).toBe(
      "25px0/a%20b/logo.png,center,center,30",
    );
    expect(
      changeLayer(two, text!, {
        x: "0",
        y: "0",
        font: "sans-20",
        color: "",
        width: "0",
        align: "low",
      }).filters[0]!.args,
    ).toBe("Hi%2C%20%28you%29,0,0,sans-20");
  });
  test("have a box and a shadow, which do not affect their position", () => {
    const layer = layersOf(of("filters:label(Hi,5,5)"))[0]!;
    const o = changeLayer(of("filters:label(Hi,5,5)"), layer, {
      box: "000000a0",
      shadow: "black",
    });
    expect(o.filters[0]!.args).toBe(
      "Hi,5,5,20,black,0,sans 20,000000a0,30,0,none,5,black",
    );
    const size = { width: 90, height: 60 };
    expect(alone(o, layersOf(o)[0]!, size)).toBe(
      "90x60/filters:label(Hi,center,center,20,black,0,sans 20,000000a0):trim(0)/color:none",
    );
  });
  test("are raised, hidden and shown", () => {
    expect(format(raiseLayer(two, layersOf(two)[1]!, 1))).toMatch(
      /^filters:image.*:text/,
    );
    expect(raiseLayer(two, layersOf(two)[0]!, 1)).toBe(two);
    const hidden = toggleLayer(two, layersOf(two)[0]!);
    expect(format(hidden)).not.toContain("image");
    expect(toggleLayer(hidden, layersOf(hidden)[0]!)).toEqual(two);
  });
  test("text and fonts survive a round trip", () => {
    for (const text of ["it's (50%), ok!", "桜", "a/b:c"])
      expect(decodeText(encodeText(text))).toBe(text);
    expect(decodeText("b64:w6TDtg")).toBe("äö");
    expect(parseFont("DejaVu%20Sans-bold-italic-24px")).toEqual({
      family: "DejaVu Sans",
      style: "bold-italic",
      size: 24,
      percent: false,
    });
    expect(parseFont("sans-8.5p")).toMatchObject({ size: 8.5, percent: true });
    for (const font of ["sans-bold-24", "sans-bold-8.5p"])
      expect(formatFont(parseFont(font))).toBe(font);
    expect(parseFont("sans")).toEqual({
      family: "sans",
      style: "",
      size: 20,
      percent: false,
    });
  });
  test("a folder named like an operation stays an image", () => {
    expect(encodeLayerImage("smart/a.jpg")).toBe("smart%2Fa.jpg");
    expect(encodeLayerImage("Journeys/a,b (1).jpg")).toBe(
      "Journeys/a%2Cb%20%281%29.jpg",
    );
  });
});

test.each([
  ["10", 5, "15"],
  ["10", -30, "left-20"],
  ["left-20", 30, "10"],
  ["center", 8, "center+1p"],
  ["center", -10, "center-1.25p"],
  ["center+1p", -8, "center"],
  ["0", 8, "1p"],
  ["0", -8, "left-1p"],
  ["left-1p", 16, "1p"],
  ["-5p", 8, "-4p"],
  ["right-1p", -16, "-1p"],
  ["center+7", -7, "center"],
  ["-10", -5, "-15"],
  ["-10", 30, "right-20"],
  ["right", -10, "-1.25p"],
  ["50p", 10, "51.25p"],
  ["0.5", 10, "51.25p"],
  ["repeat", 10, "repeat"],
])("position %s moved by %d", (text, by, moved) =>
  expect(movePosition(text, by, 800, false)).toBe(moved),
);

test.each([
  ["10", 10],
  ["-10", 690],
  ["center", 350],
  ["center-20", 330],
  ["right-10", 710],
  ["left-10", -10],
  ["10p", 80],
  ["repeat", 0],
])("a layer of 100 at %s starts at %d", (text, start) => {
  expect(startOf(text, 100, 800)).toBe(start);
});

describe("size", () => {
  test.each([
    ["", 4000, 3000],
    ["400x0", 400, 300],
    ["0x300", 400, 300],
    ["300x300", 300, 300],
    ["fit-in/300x300", 300, 225],
    ["fit-in/9000x9000", 4000, 3000],
    ["full-fit-in/300x300", 400, 300],
    ["adaptive-fit-in/300x600", 400, 300],
    ["0.5x0:1x0.5", 2000, 1500],
    ["1000x1000:2000x0/100x0", 100, 200],
    ["fit-in/300x300/10x20/filters:fill(red)", 320, 340],
    ["400x0/filters:rotate(90):proportion(50)", 150, 200],
    ["filters:orient(90)", 3000, 4000],
    ["filters:straighten(1)", 3909, 2932],
    ["filters:orient(90):straighten(-1)", 2932, 3909],
    ["400x0/filters:straighten(20)", 400, 300],
    ["fit-in/8000x8000/filters:upscale()", 8000, 6000],
  ])("of %s", (path, width, height) =>
    expect(resultSize(of(path), source)).toEqual({ width, height }),
  );
  test("a crop beyond the picture ends at its edge", () => {
    expect(
      cropBox({ left: 10, top: 10, right: 9000, bottom: 0 }, source),
    ).toEqual({ left: 10, top: 10, right: 4000, bottom: 3000 });
  });
});

test.each([
  ["2p", 100, "2p"],
  ["80p", 100, "-7.5p"],
  ["center+40p", 100, "-3.75p"],
  ["center-1p", 100, "center-1p"],
  ["-60p", 100, "center-16.25p"],
  ["-90p", 100, "left-2.5p"],
  ["center+300", 100, "center+300"],
  ["repeat", 100, "repeat"],
])("a layer at %s of length %d stays by its line", (text, length, expected) =>
  expect(anchored(text, length, 800, false)).toBe(expected),
);

describe("units", () => {
  const around = { width: 800, height: 400 };
  const layerOf = (path: string) => layersOf(of(path))[0]!;
  const as = (path: string, percent: boolean) => {
    const o = of(path);
    return format(
      changeLayer(o, layersOf(o)[0]!, asUnit(layerOf(path), percent, around)),
    );
  };
  test.each([
    [
      "filters:text(a,80,-40,sans-32,fff,0,normal,400)",
      "filters:text(a,10p,-10p,sans-8p,fff,0,normal,50p)",
    ],
    [
      "filters:image(200x0/a.png,0,bottom)",
      "filters:image(25px0/a.png,0,bottom)",
    ],
    [
      "filters:image(200x100/color:red,8,center+4)",
      "filters:image(25px25p/color:red,1p,center+1p)",
    ],
  ])("%s and back", (pixels, percent) => {
    expect(as(pixels, true)).toBe(`${percent}/`);
    expect(as(percent, false)).toBe(`${pixels}/`);
    expect(follows(layerOf(percent), around)).toBe(true);
    expect(follows(layerOf(pixels), around)).toBe(false);
  });
  test("a font in percent is relative to the shorter side", () => {
    expect(fontPixels(parseFont("sans-8p"), around)).toBe(32);
    expect(sizedFont(parseFont("sans-8p"), 40, around).size).toBe(10);
    expect(sizedFont(parseFont("sans-8"), 40, around).size).toBe(40);
  });
});

describe("preview", () => {
  test.each([
    [
      "filters:image(25px0/logo.png,center+1p,-5p):text(a,0,0,sans-8p)",
      "2000x0/filters:image(25px0/logo.png,center+1p,-5p):text(a,0,0,sans-8p)",
    ],
    ["", "2000x0"],
    ["1000x500/10x20", "500x250/5x10"],
    ["fit-in/9000x9000", "fit-in/2000x1500"],
    ["filters:blur(10):sharpen(0.5)", "2000x0/filters:blur(5):sharpen(0.25)"],
    ["100x100:300x300", "100x100:300x300/100x0"],
    [
      "filters:text(a,-10,20p,sans-bold-24,fff)",
      "2000x0/filters:text(a,-5,20p,sans-bold-12,fff)",
    ],
    [
      "filters:image(200x0/logo.png,center+10,r,30)",
      "2000x0/filters:image(100x0/logo.png,center+5,r,30)",
    ],
    [
      "filters:watermark(l.png,10,-10,50,20)",
      "2000x0/filters:watermark(l.png,5,-5,50,20)",
    ],
    [
      "filters:round_corner(20,10,none)",
      "2000x0/filters:round_corner(10,5,none)",
    ],
    ["filters:pixelate()", "2000x0/filters:pixelate(5)"],
    ["filters:straighten(1)", "1955x0/filters:straighten(1)"],
  ])("%s at half size", (path, small) =>
    expect(format(scaled(of(path), source, 0.5)!)).toBe(`${small}/`),
  );
  test.each([
    "trim",
    "filters:image(logo.png,0,0)",
    "filters:watermark(l.png,0,0,0)",
    "filters:trim(5)",
  ])("%s is scaled down at the end", (path) => {
    expect(scaled(of(path), source, 0.5)).toBeNull();
    expect(previewPath(of(path), "x", source, 0.5)).toMatch(
      /proportion\(50\):preview\(\):format\(webp\)\/x$/,
    );
  });
  test("ignores how the file is sent", () => {
    expect(
      previewPath(
        of("100x0/filters:format(avif):quality(5):expire(1):blur(3)"),
        "x",
        source,
        1,
      ),
    ).toBe("100x0/filters:blur(3):preview():format(webp)/x");
  });
  test("before the edits, and without the crop", () => {
    const o = of("10x10:90x90/50x50/filters:brightness(5):rotate(90):text(a)");
    expect(format(beforeOf(o))).toBe("10x10:90x90/50x50/filters:rotate(90)/");
    expect(format(uncropped(o))).toBe("filters:brightness(5)/");
  });
});

describe("straighten", () => {
  // The sizes are those of TestStraightened in imaging.
  test.each([
    [4000, 3000, 0, 4000, 3000],
    [4000, 3000, -1, 3909, 2932],
    [1000, 1000, 45, 707, 707],
    [3000, 2000, 45, 1697, 1131],
    [1, 1000, 30, 1, 1],
    [1000, 2, 0.1, 533, 1],
  ])("%d x %d by %d", (width, height, angle, w, h) => {
    expect(straightened({ width, height }, angle)).toEqual({
      width: w,
      height: h,
    });
  });
  test("an angle in the URL beyond the slider's range is limited to it", () =>
    expect(leveled(of("filters:straighten(99)"), source)).toEqual(
      straightened(source, 45),
    ));
  test("0 removes the filter, and the crop stays unchanged", () => {
    expect(
      format(
        straighten(of("10x10:90x90/filters:straighten(0):blur(1)"), 0, source),
      ),
    ).toBe("10x10:90x90/filters:blur(1)/");
    expect(format(straighten(of("0.1x0.1:0.9x0.9"), 3, source))).toBe(
      "0.1x0.1:0.9x0.9/filters:straighten(3)/",
    );
  });
  test("a crop up to the edges of the picture is adjusted too", () => {
    const { crop } = straighten(of("1000x500:0x0"), 20, source);
    const to = leveled(of("filters:straighten(20)"), source);
    expect([
      crop!.right <= to.width,
      crop!.bottom <= to.height,
      crop!.right > crop!.left,
      crop!.bottom > crop!.top,
    ]).toEqual([true, true, true, true]);
  });
  test("a crop stays around the same point", () => {
    // The center stays the center; what is right of it moves up with a positive angle.
    expect(straighten(of("1900x1400:2100x1600"), 30, source).crop).toEqual({
      left: 1205,
      top: 879,
      right: 1405,
      bottom: 1079,
    });
    const { left, top, right, bottom } = straighten(
      of("2400x1400:2600x1600"),
      30,
      source,
    ).crop!;
    const to = leveled(of("filters:straighten(30)"), source);
    expect(
      Math.abs((left + right - to.width) / 2 - 500 * Math.cos(Math.PI / 6)),
    ).toBeLessThan(1);
    expect(
      Math.abs((top + bottom - to.height) / 2 + 500 * Math.sin(Math.PI / 6)),
    ).toBeLessThan(1);
  });
  test("a crop without room shrinks, keeps its shape and stays on the picture", () => {
    const { left, top, right, bottom } = straighten(
      of("0x0:4000x2000"),
      45,
      source,
    ).crop!;
    const to = leveled(of("filters:straighten(45)"), source);
    expect(right - left).toBe(to.width);
    expect((right - left) / (bottom - top)).toBeCloseTo(2, 2);
    expect(left >= 0 && top >= 0 && bottom <= to.height).toBe(true);
  });
  test("is a history step with its own name, also when the crop changes with it", () => {
    expect(
      stepOf(of("10x10:90x90"), straighten(of("10x10:90x90"), 2.5, source)),
    ).toEqual({ kind: "set", what: "straighten", value: "2.5°" });
    expect(stepOf(of("filters:straighten(2)"), nothing())).toEqual({
      kind: "set",
      what: "straighten",
      value: "0°",
    });
  });
  test("before and after have the same shape, and a template contains it", () => {
    expect(format(beforeOf(of("filters:straighten(3):blur(2)")))).toBe(
      "filters:straighten(3)/",
    );
    expect(
      toEnvelope(
        of("0.5x0:1x1/filters:straighten(1):blur(2)"),
        "x",
        source,
        "adaptive",
      ),
    ).toMatchObject({ lost: [] });
    expect(
      JSON.parse(
        toEnvelope(
          of("0.5x0:1x1/filters:straighten(1)"),
          "x",
          source,
          "adaptive",
        ).json,
      ).transformations,
    ).toMatchObject({
      cropRatio: 0.666439,
      cropFocalX: 0.750064,
      filters: [{ name: "straighten", args: "1" }],
    });
  });
});

describe("crop box", () => {
  const box: Box = { x: 100, y: 100, width: 200, height: 100 };
  const on = { width: 400, height: 300 };
  test.each([
    ["move", -150, 50, 0, { x: 0, y: 150, width: 200, height: 100 }],
    ["e", 500, 0, 0, { x: 100, y: 100, width: 300, height: 100 }],
    ["w", 500, 0, 0, { x: 292, y: 100, width: 8, height: 100 }],
    ["se", 20, 10, 0, { x: 100, y: 100, width: 220, height: 110 }],
    ["se", 100, 0, 2, { x: 100, y: 100, width: 300, height: 150 }],
    ["nw", -200, 0, 2, { x: 0, y: 50, width: 300, height: 150 }],
    ["n", 0, -100, 2, { x: 0, y: 0, width: 400, height: 200 }],
    ["se", -40, 0, 2, { x: 100, y: 100, width: 160, height: 80 }],
    ["se", 0, -20, 2, { x: 100, y: 100, width: 160, height: 80 }],
    ["nw", 40, 0, 2, { x: 140, y: 120, width: 160, height: 80 }],
    ["se", -40, -10, 2, { x: 100, y: 100, width: 180, height: 90 }],
  ] as const)("%s by %d, %d with ratio %d", (handle, dx, dy, ratio, result) =>
    expect(dragBox(box, handle, dx, dy, on, ratio)).toEqual(result),
  );
  test("takes a ratio around its center", () => {
    const square = fitRatio(box, 1, on);
    expect(square.width).toBeCloseTo(square.height);
    expect(square.x + square.width / 2).toBeCloseTo(200);
    expect(
      fitRatio({ x: 0, y: 0, width: 400, height: 300 }, 4, on).width,
    ).toBeCloseTo(400);
  });
  test("is no crop when it covers the whole picture", () => {
    expect(toCrop({ x: 0, y: 0, width: 400, height: 300 }, on)).toBeNull();
    expect(toCrop(box, on)).toEqual({
      left: 100,
      top: 100,
      right: 300,
      bottom: 200,
    });
  });
});

describe("history", () => {
  test("merges what one control changes in quick succession, and drops undone steps", () => {
    const history = new History(nothing());
    for (const [i, value] of [3, 4, 5].entries())
      history.change(
        setSlide(history.operations, light[4]!, value),
        "brightness",
        1000 + i,
      );
    expect(history.at).toBe(1);
    history.change(
      setSlide(history.operations, light[4]!, 9),
      "brightness",
      9000,
    );
    expect(history.steps.map((step) => step?.value)).toEqual([
      undefined,
      "5",
      "9",
    ]);
    history.undo();
    expect(format(history.operations)).toContain("(5)");
    history.redo();
    expect(format(history.operations)).toContain("(9)");
    history.go(0);
    expect(history.canUndo).toBe(false);
    history.change(of("100x0"));
    expect(history.steps).toHaveLength(2);
    history.change(of("100x0"));
    expect(history.steps).toHaveLength(2);
  });
  test("a change right after an undo or a redo is a separate step", () => {
    const history = new History(nothing());
    const slide = (value: number, now: number) =>
      history.change(
        setSlide(history.operations, light[4]!, value),
        "brightness",
        now,
      );
    slide(5, 1000);
    history.change(of("100x0"));
    history.undo();
    slide(0, 1100);
    history.undo();
    expect(format(history.operations)).toContain("(5)");
    history.redo();
    slide(7, 1200);
    history.undo();
    expect(format(history.operations)).not.toContain("(5)");
    expect(history.at).toBe(2);
  });
  test.each([
    ["", "10x10:110x60", { kind: "part", what: "crop", value: "100 × 50" }],
    ["", "300x0", { kind: "part", what: "size", value: "300 × –" }],
    ["300x0", "-300x0", { kind: "part", what: "flip", value: "" }],
    ["", "filters:blur(2)", { kind: "add", what: "blur", value: "2" }],
    [
      "filters:blur(2)",
      "filters:blur(3)",
      { kind: "set", what: "blur", value: "3" },
    ],
    ["filters:blur(2)", "", { kind: "remove", what: "blur", value: "2" }],
    [
      "filters:blur(2):hue(3)",
      "filters:hue(3):blur(2)",
      { kind: "order", what: "hue", value: "3" },
    ],
    [
      "filters:text(a,0,0)",
      "filters:_text(a,0,0)",
      { kind: "lock", what: "text", value: "a" },
    ],
    [
      "filters:image(9x9/a.png,0,0)",
      "filters:image(9x9/filters:blur(2)/a.png,0,0)",
      { kind: "add", what: "blur", value: "2" },
    ],
    [
      "filters:image(9x9/a.png,0,0)",
      "filters:image(9x9/a.png,5,0)",
      { kind: "set", what: "image", value: "a.png" },
    ],
    [
      "filters:text(a%20b,0,0)",
      "filters:text(c,0,0)",
      { kind: "set", what: "text", value: "c" },
    ],
  ])("%s to %s has a name", (before, after, step) =>
    expect(stepOf(of(before), of(after))).toEqual(step),
  );
});

test("the URL contains the document with its hidden parts", () => {
  const o = of("300x0/filters:blur(2):text(a%2Fb,0,0)");
  const hidden = {
    ...o,
    filters: o.filters.with(1, { ...o.filters[1]!, hidden: true as const }),
  };
  expect(toAddress(hidden, [1, 0])).toEqual({
    p: "300x0/filters:blur(2):-text(a%2Fb,0,0)",
    in: "1.0",
    off: null,
  });
  expect(fromAddress(new URLSearchParams({ p: toAddress(hidden).p! }))).toEqual(
    hidden,
  );
  // The format of older URLs.
  expect(
    fromAddress(
      new URLSearchParams({ p: format(o).replace(/\/$/, ""), off: "1" }),
    ),
  ).toEqual(hidden);
  expect(toAddress(nothing())).toEqual({ p: null, in: null, off: null });
  expect(insideOf(new URLSearchParams("in=2.x.0"))).toEqual([2, 0]);
  expect(fromAddress(new URLSearchParams("p=filters:blur("))).toEqual(
    nothing(),
  );
});

test("a template contains what its format supports, and reports the rest", () => {
  const o = addFilter(
    of(
      "fit-in/800x600/filters:brightness(5):pixelate(9):rotate(90):text(Hi,10,-20,sans-bold-24,fff,30):image(100x0/logo%20a.png,center,top)",
    ),
    newColor("ff0000"),
  );
  const { json, lost } = toEnvelope(o, "a/b.jpg", source, "adaptive");
  const { transformations, ...envelope } = JSON.parse(json) as {
    transformations: { layers: unknown[] };
  };
  expect(envelope).toEqual({
    version: "1.0",
    dimensionMode: "adaptive",
    predefinedDimensions: source,
    sourceImagePath: "a/b.jpg",
  });
  expect(transformations).toMatchObject({
    imagePath: "a/b.jpg",
    width: 800,
    height: 600,
    fitIn: true,
    brightness: 5,
    rotation: 90,
  });
  expect(transformations.layers).toMatchObject([
    {
      type: "text",
      text: "Hi",
      x: 10,
      y: -20,
      alpha: 30,
      font: "sans",
      fontStyle: "bold",
      fontSize: 24,
      color: "fff",
    },
    {
      type: "image",
      imagePath: "logo a.png",
      x: "center",
      y: "top",
      transforms: { width: 100 },
    },
    {
      type: "color",
      color: "ff0000",
      transforms: { width: "50p", height: "25p" },
      alpha: 40,
    },
  ]);
  expect(lost).toEqual([]);
  expect(transformations).toMatchObject({
    filters: [{ name: "pixelate", args: "9" }],
  });
});

describe("a crop in a template", () => {
  const made = (path: string, pixels = false) => {
    const { json, lost } = toEnvelope(
      of(path),
      "a.jpg",
      source,
      "predefined",
      [],
      pixels,
    );
    return {
      lost,
      ...(JSON.parse(json) as { transformations: Record<string, unknown> }),
    };
  };
  test("has a ratio, a center and a share of the picture", () => {
    expect(made("0x0:2400x3000/600x0").transformations).toMatchObject({
      width: 600,
      cropRatio: 0.8,
      cropFocalX: 0.3,
      cropFocalY: 0.5,
      cropScale: 1,
    });
    expect(made("0.25x0.25:0.75x0.75").transformations).toMatchObject({
      cropRatio: 1.333333,
      cropFocalX: 0.5,
      cropFocalY: 0.5,
      cropScale: 0.5,
    });
    expect(made("0x0:2400x3000").transformations).not.toHaveProperty(
      "cropLeft",
    );
  });
  test("has pixels on request", () => {
    expect(made("10x20:310x420", true).transformations).toMatchObject({
      cropLeft: 10,
      cropTop: 20,
      cropWidth: 300,
      cropHeight: 400,
    });
    expect(made("10x20:310x420", true).transformations).not.toHaveProperty(
      "cropRatio",
    );
  });
  test("of a layer whose picture is unknown has pixels", () => {
    const { transformations, lost } = made(
      "filters:image(10x20:310x0/90x0/b.png,0,0)",
    );
    expect(transformations.layers).toMatchObject([
      {
        transforms: {
          cropLeft: 10,
          cropTop: 20,
          cropWidth: 300,
          cropHeight: 0,
        },
      },
    ]);
    expect(lost).toEqual([]);
    expect(made("filters:image(0.1x0.1:0.9x0.9/b.png,0,0)").lost).toEqual([
      "crop",
    ]);
  });
  test("beside a focal point in pixels, which is converted to fractions", () => {
    expect(
      made("300x300/filters:focal(1000x750)").transformations.filters,
    ).toEqual([{ name: "focal", args: "0.25,0.25" }]);
  });
});

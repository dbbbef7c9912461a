import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { format } from "./format";
import { parse, splitArgs, withoutSignature } from "./parse";

type Params = Record<string, unknown> & {
  image: string;
  filters?: { name: string; args?: string }[];
};
// The answers of a real server to /params.
const answers = JSON.parse(
  readFileSync(new URL("testdata.json", import.meta.url), "utf8"),
) as { path: string; params: Params }[];

describe.each(answers)("$path", ({ path, params }) => {
  const parsed = parse(path)!;
  const o = parsed.operations;
  test("is parsed as the server does", () => {
    const { left, top, right, bottom } = o.padding;
    const ours = {
      path,
      image: parsed.image,
      trim: o.trim !== "",
      trim_by: o.trim
        ? o.trim.includes("bottom-right")
          ? "bottom-right"
          : "top-left"
        : "",
      trim_tolerance: Number(/\d+$/.exec(o.trim)?.[0] ?? 0),
      crop_left: o.crop?.left,
      crop_top: o.crop?.top,
      crop_right: o.crop?.right,
      crop_bottom: o.crop?.bottom,
      fit_in: o.fit !== "",
      adaptive_fit_in: o.fit.startsWith("adaptive"),
      full_fit_in: o.fit.includes("full"),
      stretch: o.stretch,
      width: o.width,
      height: o.height,
      padding_left: left,
      padding_top: top,
      padding_right: right,
      padding_bottom: bottom,
      h_flip: o.hFlip,
      v_flip: o.vFlip,
      h_align: o.hAlign,
      v_align: o.vAlign,
      smart: o.smart,
      filters: o.filters.length
        ? o.filters.map(({ name, args }) => (args ? { name, args } : { name }))
        : undefined,
    };
    const { warnings: _, ...theirs } = params;
    expect(
      Object.fromEntries(Object.entries(ours).filter(([, value]) => value)),
    ).toEqual(theirs);
  });
  test("has segments that add up to the path, and can be formatted again", () => {
    expect(parsed.segments.map((segment) => segment.text).join("")).toBe(path);
    expect(parse(format(o) + parsed.image)?.operations).toEqual(o);
  });
});

test.each([
  "",
  "filters:",
  "filters:blur(",
  "filters:blur(2",
  "filters:blur(2)",
  "filters:blur(2):a.jpg",
  "filters:image(a(b)/x.jpg",
  "300x200/",
  "filters:(2)/x.jpg",
])("%j is not finished", (path) => {
  expect(parse(path)).toBeNull();
});

test.each([
  ["", []],
  ["1", ["1"]],
  ["1,,3", ["1", "", "3"]],
  ["a/filters:rgb(1,2,3)/b.png,5,6", ["a/filters:rgb(1,2,3)/b.png", "5", "6"]],
])("arguments of %j", (args, parts) => expect(splitArgs(args)).toEqual(parts));

test.each([
  ["http://h:80/VTAq7YIRbEXgtwAcsTMhAjvBuT8=/300x/a.jpg", "300x/a.jpg"],
  ["/unsafe/300x/a.jpg", "300x/a.jpg"],
  ["/params/unsafe/a.jpg", "a.jpg"],
  ["300x/a.jpg", "300x/a.jpg"],
  [
    "/VTAq7YIRbEXgtwAcsTMhAjvBuT8=/preset(@0123456789abcdef)/300x/a.jpg",
    "300x/a.jpg",
  ],
  ["preset(@0123456789abcdef)/a.jpg", "a.jpg"],
  ["/unsafe/preset(card)/a.jpg", "preset(card)/a.jpg"],
  [
    "/unsafe/300x/preset(@0123456789abcdef)/a.jpg",
    "300x/preset(@0123456789abcdef)/a.jpg",
  ],
])("%s without its signature", (address, path) =>
  expect(withoutSignature(address)).toBe(path),
);

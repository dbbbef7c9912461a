import { expect, test } from "vitest";
import { callOf, newTyped, toInput, toTyped, withDefaults } from "./presets";

const width = {
  name: "width",
  default: "320",
  values: ["320", "640"],
  min: null,
  max: null,
};
const quality = { name: "q", default: "80", values: null, min: 40, max: 95 };

test("parameters are edited as they were saved", () => {
  expect(toInput(toTyped(width))).toEqual({
    name: "width",
    default: "320",
    values: ["320", "640"],
  });
  expect(toInput(toTyped(quality))).toEqual({
    name: "q",
    default: "80",
    min: 40,
    max: 95,
  });
  expect(
    toInput({ ...newTyped(), name: " a ", default: " x ", values: " x,, y ," }),
  ).toEqual({ name: "a", default: "x", values: ["x", "y"] });
  expect(
    toInput({ ...newTyped(), name: "a", kind: "range", min: "0", max: "" }),
  ).toEqual({ name: "a", default: "", min: 0, max: null });
});

test.each([
  [
    "fit-in/{width}x0/filters:quality({q})",
    "fit-in/320x0/filters:quality(80)/",
  ],
  ["{width}x{width}/", "320x320/"],
  ["", ""],
  ["300x{height}", "300x{height}/"],
])("%s with defaults", (operations, path) =>
  expect(
    withDefaults(operations, [toTyped(width), toTyped(quality), newTyped()]),
  ).toBe(path),
);

test("a default may contain dollar signs", () =>
  expect(
    withDefaults("filters:label({text})", [
      { ...newTyped(), name: "text", default: "$& $' $$5" },
    ]),
  ).toBe("filters:label($& $' $$5)/"));

test("a call", () =>
  expect([callOf("card", [width, quality]), callOf("hero", [])]).toEqual([
    "preset(card,{width},{q})",
    "preset(hero)",
  ]));

import { encodeText } from "@safelight/client";
import { expect, test } from "vitest";
import { toEnvelope } from "./envelope";
import type { Operations } from "./operations";
import { parse } from "./parse";
import { askedAs, variablesOf, wrongName } from "./variables";

const of = (path: string): Operations => parse(`${path}/x`)!.operations;
const card = of(
  `filters:text(${encodeText("{Title}, by {author} {Title}")},0,0):image(fxf/filters:text(${encodeText("{ no } {} {author}")},0,0):image(20x0/a%20b/logo.v2.png,0,0)/color:none,0,0):label(${encodeText("{x}")},0,0)`,
);

test("a document has a variable for each name in braces in its texts, and for its pictures", () => {
  expect(variablesOf(card)).toEqual([
    { name: "Title", type: "text", default: "" },
    { name: "author", type: "text", default: "" },
    { name: "logo.v2", type: "image", default: "a b/logo.v2.png" },
  ]);
});
test("variables of an earlier template stay selected", () => {
  const before = [
    { name: "Title", type: "text" as const, default: "Fjord" },
    { name: "mark", type: "image" as const, default: "a b/logo.v2.png" },
  ];
  expect(askedAs(variablesOf(card), before)).toEqual([
    { name: "Title", type: "text", default: "Fjord", asked: true },
    { name: "author", type: "text", default: "", asked: true },
    { name: "mark", type: "image", default: "a b/logo.v2.png", asked: true },
  ]);
  expect(askedAs(variablesOf(card), []).map(({ asked }) => asked)).toEqual([
    true,
    true,
    false,
  ]);
});
test("a template contains them, and replaces a picture by its placeholder", () => {
  const variables = [
    { name: "author", type: "text" as const, default: "Ada" },
    { name: "mark", type: "image" as const, default: "a b/logo.v2.png" },
  ];
  const { json } = toEnvelope(
    card,
    "x.jpg",
    { width: 9, height: 9 },
    "adaptive",
    variables,
  );
  const envelope = JSON.parse(json) as {
    variables: unknown;
    transformations: unknown;
  };
  expect(envelope.variables).toEqual(variables);
  expect(envelope.transformations).toMatchObject({
    layers: [
      { text: "{Title}, by {author} {Title}" },
      { type: "group", transforms: { layers: [{}, { imagePath: "{mark}" }] } },
    ],
  });
  expect(
    JSON.parse(
      toEnvelope(card, "x.jpg", { width: 9, height: 9 }, "adaptive").json,
    ),
  ).not.toHaveProperty("variables");
});
test.each([
  ["a", false],
  ["", true],
  [" a", true],
  ["a}", true],
  ["twice", true],
  ["x".repeat(41), true],
])("the name %j", (name, wrong) => {
  const twice = {
    name: "twice",
    type: "text" as const,
    default: "",
    asked: true,
  };
  expect(
    wrongName(name, [
      twice,
      { ...twice, type: "image" },
      { ...twice, name: "a", asked: false },
    ]),
  ).toBe(wrong);
});

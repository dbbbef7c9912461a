import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, type FragmentDefinitionNode } from "graphql";
import { expect, test } from "vitest";
import { complete, documentsIn } from "./documents";

const fragments = new Map(
  parse(
    "fragment Tile on File { id ...Name } fragment Name on File { name }",
  ).definitions.map((d) => [
    (d as FragmentDefinitionNode).name.value,
    d as FragmentDefinitionNode,
  ]),
);

test("documents are found in a source", () => {
  expect(
    documentsIn(
      "const a = graphql(`query A { me { id } }`); const b = graphql(/* GraphQL */ `query B { me { id } }`)",
    ),
  ).toHaveLength(2);
});

test("a document carries the fragments it spreads, each once", () => {
  const text = complete(
    'query Q { a: file(path: "a") { ...Tile } b: file(path: "b") { ...Tile ...Name } }',
    fragments,
  );
  expect(text.match(/fragment /g)).toHaveLength(2);
  expect(text).not.toContain("\n");
});

test("an unknown fragment fails the build", () => {
  expect(() => complete("query Q { me { ...Nobody } }", fragments)).toThrow(
    "no fragment Nobody",
  );
});

test("only the page that sends a document carries it", () => {
  const app = fileURLToPath(new URL("../dist/app", import.meta.url));
  const carriers = readdirSync(app).filter(
    (name) =>
      name.endsWith(".js") &&
      readFileSync(`${app}/${name}`, "utf8").includes("mutation MakeToken("),
  );
  expect(carriers).toEqual([expect.stringMatching(/-Tokens\.js$/)]);
});

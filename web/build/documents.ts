import { readdirSync, readFileSync } from "node:fs";
import {
  parse,
  stripIgnoredCharacters,
  visit,
  type FragmentDefinitionNode,
} from "graphql";
import type { Plugin } from "vite";

const call = /\bgraphql\(\s*(?:\/\*[^*]*\*\/\s*)?`([^`]*)`\s*\)/g;

/** The GraphQL documents in a module's source. */
export function documentsIn(source: string): string[] {
  return [...source.matchAll(call)].map((match) => match[1] ?? "");
}

/**
 * Puts the text of each document, with the fragments that it spreads, where `graphql(...)` is called. Without it every
 * page would carry the documents of all pages, for the generated function looks them up in one table.
 */
export function inlineDocuments(root: string): Plugin {
  let fragments = new Map<string, FragmentDefinitionNode>();
  return {
    name: "safelight-documents",
    enforce: "pre",
    buildStart() {
      fragments = readFragments(root);
    },
    transform(code, id) {
      // the generated table of all documents, which nothing needs once every call holds its own
      if (id.includes("/api/gen/"))
        return { code, map: null, moduleSideEffects: false };
      if (
        !/\.ts(\?|$)/.test(id) ||
        id.includes("/node_modules/") ||
        id.includes(".test.") ||
        !code.includes("graphql(")
      )
        return;
      const inlined = code.replace(call, (_, source: string) =>
        JSON.stringify(complete(source, fragments)),
      );
      return inlined === code ? undefined : { code: inlined, map: null };
    },
  };
}

function readFragments(root: string): Map<string, FragmentDefinitionNode> {
  const found = new Map<string, FragmentDefinitionNode>();
  for (const file of sources(root)) {
    for (const source of documentsIn(readFileSync(`${root}/${file}`, "utf8"))) {
      for (const node of parse(source).definitions) {
        if (node.kind === "FragmentDefinition")
          found.set(node.name.value, node);
      }
    }
  }
  return found;
}

/** A document's text with every fragment that it spreads, directly or through another. */
export function complete(
  source: string,
  fragments: Map<string, FragmentDefinitionNode>,
): string {
  const texts = [source];
  const taken = new Set<string>();
  for (let i = 0; i < texts.length; i++) {
    visit(parse(texts[i]!), {
      FragmentDefinition: (node) => void taken.add(node.name.value),
      FragmentSpread(node) {
        const name = node.name.value;
        const fragment = fragments.get(name);
        if (taken.has(name)) return;
        if (!fragment?.loc)
          throw new Error(
            `no fragment ${name} in src, expected one in a graphql(...) call`,
          );
        taken.add(name);
        texts.push(
          fragment.loc.source.body.slice(fragment.loc.start, fragment.loc.end),
        );
      },
    });
  }
  return stripIgnoredCharacters(texts.join("\n"));
}

function sources(root: string): string[] {
  return readdirSync(`${root}/src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("api/gen/"))
    .map((file) => `src/${file}`)
    .sort();
}

import type { Variable } from "./envelope";
import { decodePath, decodeText, layersOf } from "./layers";
import type { Operations } from "./operations";
import { parseLayer } from "./parse";

const placeholder = /\{([^{}\p{Cc}]{1,40})\}/gu;

/**
 * The possible variables of a document's template: each `{name}` in its texts, and each picture of
 * its layers.
 */
export function variablesOf(o: Operations): Variable[] {
  const found = new Map<string, Variable>();
  collect(o, found);
  return [...found.values()];
}

function collect(o: Operations, found: Map<string, Variable>): void {
  for (const { kind, args } of layersOf(o).reverse()) {
    if (kind === "text") {
      for (const [, name] of decodeText(args.text!).matchAll(placeholder))
        if (name!.trim() === name && !found.has(name))
          found.set(name, { name, type: "text", default: "" });
      continue;
    }
    const inner =
      kind === "image" || kind === "color" || kind === "group"
        ? parseLayer(args.path!)
        : null;
    if (!inner) continue;
    const path = decodePath(inner.image);
    if (kind === "image" && !found.has(`/${path}`))
      found.set(`/${path}`, {
        name: nameOf(path),
        type: "image",
        default: path,
      });
    collect(inner.operations, found);
  }
}

// The file name without its extension and without braces.
const nameOf = (path: string) =>
  path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\.[^.]*$/, "")
    .replace(/[{}\p{Cc}]/gu, "")
    .trim()
    .slice(0, 40) || "image";

export type Asked = Variable & { asked: boolean };

/**
 * The variables of a document. Those of the saved template are selected and keep their names; texts
 * are matched by name, pictures by their default.
 */
export function askedAs(found: Variable[], before: Variable[]): Asked[] {
  return found.map((one) => {
    const old = before.find(
      (other) =>
        other.type === one.type &&
        (one.type === "text"
          ? other.name === one.name
          : other.default === one.default),
    );
    return old
      ? { ...old, asked: true }
      : { ...one, asked: one.type === "text" };
  });
}

/** Whether the name of a variable is invalid or already used by another selected one. */
export function wrongName(name: string, all: Asked[]): boolean {
  return (
    !name ||
    name !== name.trim() ||
    name.length > 40 ||
    /[{}\p{Cc}]/u.test(name) ||
    all.filter((one) => one.asked && one.name === name).length > 1
  );
}

import { nameOfFilter } from "../editor/filters";
import { decodeText } from "../editor/layers";
import { format } from "../editor/format";
import { nothing, type Filter, type Operations } from "../editor/operations";

/**
 * One difference between two documents: a part of the path, or a filter by its name. Empty on the
 * side that does not have it.
 */
export type Change = {
  kind: "part" | "filter";
  what: string;
  left: string;
  right: string;
};

const parts: { what: string; keys: (keyof Operations)[] }[] = [
  { what: "crop", keys: ["crop"] },
  { what: "fit", keys: ["fit", "stretch"] },
  { what: "size", keys: ["width", "height"] },
  { what: "flip", keys: ["hFlip", "vFlip"] },
  { what: "padding", keys: ["padding"] },
  { what: "align", keys: ["hAlign", "vAlign", "smart"] },
  { what: "trim", keys: ["trim"] },
];

/**
 * The differences between two documents, in the order of a path. Filters of the same name are
 * compared in pairs.
 */
export function differencesOf(a: Operations, b: Operations): Change[] {
  const only = (o: Operations, keys: (keyof Operations)[]) => {
    if (keys[0] === "hFlip")
      return `${o.hFlip ? "↔" : ""}${o.vFlip ? "↕" : ""}`;
    const written = format({
      ...nothing(),
      ...Object.fromEntries(keys.map((key) => [key, o[key]])),
    }).replace(/\/$/, "");
    return keys[0] === "padding" ? written.replace(/^0x0\//, "") : written;
  };
  const changes: Change[] = parts.map(({ what, keys }) => ({
    kind: "part" as const,
    what,
    left: only(a, keys),
    right: only(b, keys),
  }));
  const names = [
    ...new Set(
      [...a.filters, ...b.filters].map((filter) => nameOfFilter(filter.name)),
    ),
  ];
  for (const what of names) {
    const [left, right] = [argsOf(a.filters, what), argsOf(b.filters, what)];
    for (let i = 0; i < Math.max(left.length, right.length); i++)
      changes.push({
        kind: "filter",
        what,
        left: left[i] ?? "",
        right: right[i] ?? "",
      });
  }
  return changes.filter(({ left, right }) => left !== right);
}

const argsOf = (filters: Filter[], name: string) =>
  filters.filter((filter) => nameOfFilter(filter.name) === name).map(shown);

// The text shown to a person, which is not encoded.
const shown = ({ name, args }: Filter) =>
  (name === "text" || name === "label"
    ? args.replace(/^[^,]*/, decodeText)
    : args) || "✓";

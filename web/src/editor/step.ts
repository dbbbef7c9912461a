import { argsOf, nameOfFilter } from "./filters";
import { decodeText } from "./layers";
import type { Filter, Operations } from "./operations";
import { parseLayer, splitArgs } from "./parse";

/** What a history step changed: a part of the document, or a filter by its name, and its new value. */
export type Step = {
  kind:
    | "part"
    | "set"
    | "add"
    | "remove"
    | "order"
    | "show"
    | "hide"
    | "lock"
    | "unlock";
  what: string;
  value: string;
};

const written = (filter: Filter) =>
  `${filter.name}(${filter.args})${filter.hidden ? "-" : ""}${filter.locked ? "_" : ""}`;

/** Describes the first difference between two documents. */
export function stepOf(before: Operations, after: Operations): Step {
  const part = (what: string, value = ""): Step => ({
    kind: "part",
    what,
    value,
  });
  const differs = (...keys: (keyof Operations)[]) =>
    keys.some(
      (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
    );
  const leveled = argsOf(after, "straighten")?.join();
  if (leveled !== argsOf(before, "straighten")?.join())
    return { kind: "set", what: "straighten", value: `${leveled ?? 0}°` };
  if (differs("crop"))
    return part(
      "crop",
      after.crop
        ? `${size(after.crop.right - after.crop.left)} × ${size(after.crop.bottom - after.crop.top)}`
        : "",
    );
  if (
    differs(
      "width",
      "height",
      "fullWidth",
      "fullHeight",
      "percentWidth",
      "percentHeight",
    )
  )
    return part(
      "size",
      after.width || after.height
        ? `${after.width || "–"} × ${after.height || "–"}`
        : "",
    );
  if (differs("hFlip", "vFlip")) return part("flip");
  if (differs("fit", "stretch")) return part("fit");
  if (differs("padding")) return part("padding");
  if (differs("hAlign", "vAlign", "smart")) return part("align");
  if (differs("trim")) return part("trim");
  return filterStep(before.filters, after.filters);
}

const size = (n: number) =>
  String(n <= 1 ? Math.round(n * 100) / 100 : Math.round(n));

function filterStep(before: Filter[], after: Filter[]): Step {
  const [old, now] = [before.map(written), after.map(written)];
  const first = now.findIndex((text, i) => text !== old[i]);
  const at = first < 0 ? now.length : first;
  const step = (kind: Step["kind"], filter: Filter | undefined): Step => {
    const value = filter ? valueOf(filter) : "";
    return value === "color:none"
      ? { kind, what: "group", value: "" }
      : { kind, what: nameOfFilter(filter?.name ?? ""), value };
  };
  if (after.length > before.length) return step("add", after[at]);
  if (after.length < before.length) return step("remove", before[at]);
  if ([...old].sort().join() === [...now].sort().join())
    return step("order", after[at]);
  if (Boolean(before[at]?.hidden) !== Boolean(after[at]?.hidden))
    return step(after[at]?.hidden ? "hide" : "show", after[at]);
  if (Boolean(before[at]?.locked) !== Boolean(after[at]?.locked))
    return step(after[at]?.locked ? "lock" : "unlock", after[at]);
  return innerStep(before[at], after[at]) ?? step("set", after[at]);
}

// A change within a layer is named after what changed there.
function innerStep(
  before: Filter | undefined,
  after: Filter | undefined,
): Step | null {
  if (before?.name !== "image" || after?.name !== "image") return null;
  const [[old, ...oldPlace], [now, ...nowPlace]] = [
    splitArgs(before.args),
    splitArgs(after.args),
  ];
  const [a, b] = [parseLayer(old ?? ""), parseLayer(now ?? "")];
  return a && b && a.image === b.image && oldPlace.join() === nowPlace.join()
    ? stepOf(a.operations, b.operations)
    : null;
}

function valueOf(filter: Filter): string {
  const args = splitArgs(filter.args);
  if (filter.name === "text" || filter.name === "label")
    return decodeText(args[0] ?? "").slice(0, 24);
  if (filter.name === "image" || filter.name === "watermark")
    return decodeText((args[0] ?? "").split("/").at(-1) ?? "").slice(0, 24);
  return filter.args.slice(0, 24);
}

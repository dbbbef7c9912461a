import { format } from "../editor/format";
import type { Filter, Operations } from "../editor/operations";
import { parseLayer, splitArgs } from "../editor/parse";

type Json = Record<string, unknown>;

/**
 * An envelope with all of its layers shown, from which the server creates the path for the editor;
 * the path of the template itself omits hidden layers.
 */
export function showAll(envelope: string): string {
  const show = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const layers = Array.isArray(value.layers)
      ? {
          layers: value.layers.map((layer: unknown) =>
            isObject(layer)
              ? { ...(show(layer) as Json), visible: true }
              : layer,
          ),
        }
      : {};
    return {
      ...value,
      ...layers,
      ...(isObject(value.transforms)
        ? { transforms: show(value.transforms) }
        : {}),
    };
  };
  const whole: unknown = JSON.parse(envelope);
  return JSON.stringify(
    isObject(whole)
      ? { ...whole, transformations: show(whole.transformations) }
      : whole,
  );
}

/** Whether an envelope has hidden or locked layers. */
export const hasMarks = (envelope: string) =>
  /"(visible":\s*false|locked":\s*true)/.test(envelope);

/**
 * Marks the layers of a document that the envelope hides or locks; null if the layers of the
 * document do not match those of the envelope.
 */
export function mark(o: Operations, envelope: string): Operations | null {
  const { transformations } = JSON.parse(envelope) as Json;
  return isObject(transformations)
    ? markLayers(o, layersOf(transformations), false)
    : null;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
// The layers of a picture, lowest first. The server does not draw a blank text.
const layersOf = (picture: Json): Json[] =>
  (Array.isArray(picture.layers) ? picture.layers.filter(isObject) : []).filter(
    (layer) => layer.type !== "text" || String(layer.text ?? "").trim() !== "",
  );

function markLayers(
  o: Operations,
  layers: Json[],
  group: boolean,
): Operations | null {
  const places = o.filters.flatMap(({ name }, i) =>
    name === "image" || name === "text" ? [i] : [],
  );
  if (places.length < layers.length) return null;
  // The layers of a group precede its other filters, those of a picture follow them.
  const at = group
    ? places.slice(0, layers.length)
    : places.slice(places.length - layers.length);
  const filters = [...o.filters];
  for (const [i, layer] of layers.entries()) {
    const marked = markFilter(filters[at[i]!]!, layer);
    if (!marked) return null;
    filters[at[i]!] = marked;
  }
  return { ...o, filters };
}

function markFilter(filter: Filter, layer: Json): Filter | null {
  if ((filter.name === "text") !== (layer.type === "text")) return null;
  const marks = {
    ...(layer.visible === false ? { hidden: true as const } : {}),
    ...(layer.locked === true ? { locked: true as const } : {}),
  };
  const layers = [
    ...layersOf(layer),
    ...(isObject(layer.transforms) ? layersOf(layer.transforms) : []),
  ];
  if (layer.type === "text" || !layers.length) return { ...filter, ...marks };
  const [path, ...rest] = splitArgs(filter.args);
  const inner = parseLayer(path ?? "");
  const operations =
    inner && markLayers(inner.operations, layers, layer.type === "group");
  return (
    operations && {
      ...filter,
      ...marks,
      args: [format(operations, true) + inner.image, ...rest].join(","),
    }
  );
}

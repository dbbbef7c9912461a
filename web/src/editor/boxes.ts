import type { Box } from "./crop";
import { changeLayer, type Layer } from "./layers";
import { mayEnter, within } from "./nesting";
import { format } from "./format";
import type { Operations } from "./operations";
import { parseLayer } from "./parse";
import { startOf } from "./position";
import type { Size } from "./size";

/** The path of a layer alone: a picture as large as the layer is on a result of that size. */
export function alone(o: Operations, layer: Layer, result: Size): string {
  const inner = mayEnter(layer) ? parseLayer(layer.args.path!) : null;
  if (inner) return format(within(inner.operations, result)) + inner.image;
  const first = o.filters[layer.at]!;
  const still = changeLayer(o, layer, {
    x: "0",
    y: "0",
    alpha: "0",
    blend: "normal",
    shadow: "none", // it has no part in where a text lies
  }).filters[layer.at]!;
  return `${Math.round(result.width)}x${Math.round(result.height)}/filters:${first.name}(${still.args}):trim(0)/color:none`;
}

/** Where a layer of that size is on a result, in its pixels. */
export const boxOf = (layer: Layer, size: Size, result: Size): Box => ({
  x: startOf(layer.args.x!, size.width, result.width),
  y: startOf(layer.args.y!, size.height, result.height),
  width: size.width,
  height: size.height,
});

/** Guides come from at most this many other layers, topmost first. */
const maxOthers = 30;

/** The layers that another one may be lined up with. A watermark that repeats has no edges. */
export const othersOf = (layers: readonly Layer[], layer: Layer): Layer[] =>
  layers
    .filter(
      (one) =>
        one.at !== layer.at &&
        !one.hidden &&
        one.args.x !== "repeat" &&
        one.args.y !== "repeat",
    )
    .slice(0, maxOthers);

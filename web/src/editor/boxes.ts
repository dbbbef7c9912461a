import type { Box } from "./crop";
import { changeLayer, type Layer } from "./layers";
import { mayEnter, within } from "./nesting";
import { format } from "./format";
import type { Operations } from "./operations";
import { parseLayer } from "./parse";
import { startOf } from "./position";
import type { Size } from "./size";

/**
 * The path that renders a layer alone: on a canvas of its own size, as it appears on a result of
 * size `result`.
 */
export function alone(o: Operations, layer: Layer, result: Size): string {
  const inner = mayEnter(layer) ? parseLayer(layer.args.path!) : null;
  if (inner) return format(within(inner.operations, result)) + inner.image;
  const first = o.filters[layer.at]!;
  // Trim takes its background color from a corner of the picture, which the layer must leave empty: in the
  // corner, a T would cover it.
  const still = changeLayer(o, layer, {
    x: "center",
    y: "center",
    alpha: "0",
    blend: "normal",
    shadow: "none", // a shadow does not affect where the text lies
  }).filters[layer.at]!;
  return `${Math.round(result.width)}x${Math.round(result.height)}/filters:${first.name}(${still.args}):trim(0)/color:none`;
}

/**
 * Where a layer of size `size` lies on a result, in pixels. The box and outline of a picture count
 * as part of it.
 */
export function boxOf(layer: Layer, size: Size, result: Size): Box {
  const border = mayEnter(layer) ? borderOf(layer, size) : 0;
  const [width, height] = [size.width + 2 * border, size.height + 2 * border];
  return {
    x: startOf(layer.args.x!, width, result.width),
    y: startOf(layer.args.y!, height, result.height),
    width,
    height,
  };
}

function borderOf({ args }: Layer, { width, height }: Size): number {
  const pixels = (percent = "0") =>
    (Number(percent) / 100) * Math.min(width, height);
  return Math.max(
    args.box === "none" ? 0 : Math.round(pixels(args.padding)),
    args.outline === "none" ? 0 : Math.ceil(pixels(args.outlineWidth)),
  );
}

/** The maximum number of other layers that guides come from, topmost first. */
const maxOthers = 30;

/** The layers that this layer can be aligned with. A repeating watermark has no edges. */
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

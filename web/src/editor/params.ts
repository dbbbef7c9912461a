import type { ProcessorParamsInput } from "../api/graphql";
import { sentArgs } from "./format";
import type { Operations } from "./operations";

/** The operations as API input, for signing. Hidden filters are omitted. */
export function toParams(o: Operations): ProcessorParamsInput {
  const [, corner, , tolerance] =
    /^trim(?::(top-left|bottom-right))?(:(\d+))?$/.exec(o.trim) ?? [];
  return {
    width: o.width,
    height: o.height,
    hFlip: o.hFlip,
    vFlip: o.vFlip,
    stretch: o.stretch,
    smart: o.smart,
    fitIn: o.fit !== "",
    fullFitIn: o.fit.includes("full"),
    adaptiveFitIn: o.fit.startsWith("adaptive"),
    cropLeft: o.crop?.left,
    cropTop: o.crop?.top,
    cropRight: o.crop?.right,
    cropBottom: o.crop?.bottom,
    paddingLeft: o.padding.left,
    paddingTop: o.padding.top,
    paddingRight: o.padding.right,
    paddingBottom: o.padding.bottom,
    hAlign: o.hAlign || null,
    vAlign: o.vAlign || null,
    trim: o.trim !== "",
    trimBy: corner ?? null,
    trimTolerance: tolerance ? Number(tolerance) : null,
    filters: o.filters
      .filter((filter) => !filter.hidden)
      .map((filter) => ({ name: filter.name, args: sentArgs(filter) || null })),
  };
}

import { format } from "./format";
import { nothing, type Operations } from "./operations";
import { parse } from "./parse";

/**
 * The document as query parameters, including hidden and locked parts. `inside` holds the places of
 * the open layers.
 */
export function toAddress(
  o: Operations,
  inside: readonly number[] = [],
): { p: string | null; in: string | null; off: null } {
  return {
    p: format(o, true).replace(/\/$/, "") || null,
    in: inside.join(".") || null,
    off: null,
  };
}

/**
 * The document in the query parameters; empty if it cannot be parsed. Older URLs list hidden
 * filters in `off`.
 */
export function fromAddress(query: Pick<URLSearchParams, "get">): Operations {
  const found = parse(`${query.get("p") ?? ""}/x`);
  if (!found || found.image !== "x") return nothing();
  const off = new Set(places(query.get("off")));
  return {
    ...found.operations,
    filters: found.operations.filters.map((filter, i) =>
      off.has(i) ? { ...filter, hidden: true } : filter,
    ),
  };
}

/** The open layers, outermost first, as places in the lists of filters. */
export const insideOf = (query: Pick<URLSearchParams, "get">) =>
  places(query.get("in"));

const places = (text: string | null) =>
  (text ?? "")
    .split(".")
    .filter((part) => /^\d+$/.test(part))
    .map(Number);

import { sentArgs } from "./format";
import type { Filter, Operations } from "./operations";

/**
 * Merges a document typed as a URL with what a URL cannot express. Filters that have not changed
 * stay locked and keep their hidden parts, and hidden filters stay after the filter that they
 * followed.
 */
export function keepMarks(typed: Operations, before: Operations): Operations {
  const left = [...before.filters];
  const filters: Filter[] = typed.filters.map((filter) => {
    const at = left.findIndex(
      (old) =>
        !old.hidden &&
        old.name === filter.name &&
        sentArgs(old) === filter.args,
    );
    return at < 0 ? filter : left.splice(at, 1)[0]!;
  });
  for (const [i, old] of before.filters.entries()) {
    if (!old.hidden) continue;
    const follows = before.filters
      .slice(0, i)
      .findLast((one) => filters.includes(one));
    filters.splice(
      follows ? filters.indexOf(follows) + 1 : i === 0 ? 0 : filters.length,
      0,
      old,
    );
  }
  return { ...typed, filters };
}

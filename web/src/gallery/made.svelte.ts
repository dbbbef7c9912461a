import type { Range } from "./sheet";

/** Items created ahead of the view in each frame. */
const perFrame = 4;

/**
 * The range to create next: everything in `seen` at once, and at most `more` items of `wanted`,
 * after the present ones first, or before them first if `up`. Items outside `wanted` are removed.
 * `seen` is a part of `wanted`.
 */
export function extend(
  made: Range,
  seen: Range,
  wanted: Range,
  more: number,
  up: boolean,
): Range {
  let [from, to] = [
    Math.max(made.from, wanted.from),
    Math.min(made.to, wanted.to),
  ];
  if (from >= to || to < seen.from || from > seen.to)
    [from, to] = [seen.from, seen.to];
  else [from, to] = [Math.min(from, seen.from), Math.max(to, seen.to)];
  const [before, behind] = [from - wanted.from, wanted.to - to];
  const above = up
    ? Math.min(more, before)
    : Math.min(before, Math.max(0, more - behind));
  return { from: from - above, to: to + Math.min(more - above, behind) };
}

/**
 * Creates visible items at once, and a few more in each frame until all of `wanted` exists, so that
 * no frame takes long. Returns the current range. Call it while a component initializes; `seen` and
 * `wanted` are evaluated again whenever they change.
 */
export function makeAhead(seen: () => Range, wanted: () => Range): () => Range {
  let last: Range = { from: 0, to: 0 };
  let [first, up, more] = [0, false, 0];
  let turn = $state(0);
  const made = $derived.by(() => {
    void turn;
    const now = seen();
    if (now.from !== first) up = now.from < first;
    first = now.from;
    const next = extend(last, now, wanted(), more, up);
    more = 0;
    return next.from === last.from && next.to === last.to
      ? last
      : (last = next);
  });
  $effect(() => {
    const all = wanted();
    if (made.from === all.from && made.to === all.to) return;
    const frame = requestAnimationFrame(() => {
      more = perFrame;
      turn++;
    });
    return () => cancelAnimationFrame(frame);
  });
  return () => made;
}

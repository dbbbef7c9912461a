import type { Range } from "./sheet";

/** Items that are made in a frame ahead of what is seen. */
const perFrame = 4;

/**
 * What is made next: what is seen at once, and of what is wanted around it at most `more` items, those behind the present ones first, or
 * those before them when `up`. What is not wanted goes. `seen` is a part of `wanted`.
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
 * Makes what is seen at once, and a few items more in each frame until all that is wanted is there, so that no frame takes long.
 * Returns what is made. To be called while a component begins; `seen` and `wanted` are asked again whenever they change.
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

import { fold } from "../messages/fold";

/**
 * How well a name matches a typed text: 0 is no match, higher is better. Each typed word has to
 * begin a word of the name, or be contained in it.
 */
export function score(name: string, typed: string): number {
  const target = fold(name);
  let total = 1;
  for (const word of fold(typed).split(/\s+/).filter(Boolean)) {
    const at = target.indexOf(word);
    if (at < 0) return 0;
    total += at === 0 ? 3 : /[\s/_.-]/.test(target[at - 1]!) ? 2 : 1;
  }
  return total;
}

/** Sorts by descending score; equal scores keep their order. */
export function ranked<T extends { label: string }>(
  all: readonly T[],
  typed: string,
): T[] {
  return all
    .map((one) => ({ one, points: score(one.label, typed) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ one }) => one);
}

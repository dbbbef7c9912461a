import { fold } from "../messages/fold";

/** How well a name answers what was typed: 0 is not at all, higher is better. Every word has to begin a word of the name, or be in it. */
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

/** What answers best first; what answers equally well stays in its order. */
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

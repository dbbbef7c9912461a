import { filterCalled } from "./filterNames";
import { american, apply, tokenNames, type Token } from "./query";

// The names that other programs use for a token.
const otherNames: ReadonlyMap<string, string> = new Map([
  ["captured", "date"],
  ["created", "date"],
  ["day", "date"],
  ["month", "date"],
  ["taken", "date"],
  ["time", "date"],
  ["year", "date"],
  ["keyword", "tag"],
  ["label", "tag"],
  ["rated", "rating"],
  ["stars", "rating"],
  ["model", "camera"],
  ["dir", "folder"],
  ["in", "folder"],
  ["path", "folder"],
  ["extension", "type"],
  ["format", "type"],
  ["city", "place"],
  ["country", "place"],
  ["location", "place"],
  ["since", "after"],
  ["until", "before"],
  ["orientation", "is"],
  ["width", "wider"],
  ["height", "taller"],
]);

/** The token that was probably meant by one with an unknown name; null if there is no valid guess. */
export function meantBy({ name, value }: Token): Token | null {
  const typed = name.toLowerCase();
  const far = (known: string) => editsBetween(typed, known);
  const nearest = tokenNames.reduce((a, b) => (far(b) < far(a) ? b : a));
  const like = far(nearest) <= (typed.length > 4 ? 2 : 1) ? nearest : null;
  const meant = otherNames.get(typed) ?? filterCalled(typed) ?? like;
  const token = meant && { name: meant, value: american(meant, value) };
  return token && apply({}, token) ? token : null;
}

// The Levenshtein distance between two words.
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(
        Math.min(
          row[j + 1]! + 1,
          next[j]! + 1,
          row[j]! + (letter === other ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1)!;
}

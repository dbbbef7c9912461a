import { expect, test, vi } from "vitest";
import { besides, questions } from "./facets";
import { formatQuery, parseQuery, withoutTemplates } from "./query";

vi.mock("../api/request", () => ({ request: () => undefined }));
vi.mock("./documents", () => ({}));
vi.mock("./suggest", () => ({
  valuesOf: {
    color: ["red"],
    rating: ["5"],
    is: ["square", "favorite"],
    has: ["place"],
    type: ["jpeg", "png"],
  },
}));

const scope = { folder: "a", admit: withoutTemplates };

test("a choice is counted together with all tokens that it does not replace", () => {
  const all = parseQuery(
    "sea tag:sky color:red is:square is:favorite type:png rating:3",
  );
  const rest = (name: string, value: string) =>
    formatQuery(besides(all, { name, value }));
  expect(rest("tag", "sun")).toBe(formatQuery(all));
  expect(rest("color", "blue")).toBe(
    "sea tag:sky is:square is:favorite type:png rating:3",
  );
  expect(rest("is", "portrait")).toBe(
    "sea tag:sky color:red is:favorite type:png rating:3",
  );
  expect(rest("is", "favorite")).toBe(
    "sea tag:sky color:red is:square type:png rating:3",
  );
  expect(rest("type", "jpeg")).toBe(
    "sea tag:sky color:red is:square is:favorite rating:3",
  );
});

test("choices with the same remaining search share one request", () => {
  const [one, ...more] = questions(parseQuery("sea"), scope);
  expect(more).toEqual([]);
  expect(one!.rest).toEqual({
    folder: "a",
    search: "sea",
    filter: { isTemplate: false },
  });
  expect(one!.choices).toHaveLength(7);
  const two = questions(parseQuery("sea type:png"), scope);
  expect(two.map(({ rest }) => rest.filter)).toEqual([
    { formats: ["PNG"], isTemplate: false },
    { isTemplate: false },
  ]);
});

import { afterEach, expect, test, vi } from "vitest";
import { lessMotion, thumbFilters } from "./motion";

afterEach(() => vi.unstubAllGlobals());

test.each([
  [true, ["page(1)", "format(webp)"]],
  [false, ["format(webp)"]],
])("less motion %s: small pictures are made by %j", (less, filters) => {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query === "(prefers-reduced-motion: reduce)" && less,
  }));
  expect(lessMotion()).toBe(less);
  expect(thumbFilters().map(({ name, args }) => `${name}(${args})`)).toEqual(
    filters,
  );
});

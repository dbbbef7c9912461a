import type { ProcessorFilterInput } from "../api/graphql";

/** Whether the person prefers reduced motion. */
export const lessMotion = () =>
  globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;

/** The filters of a thumbnail, which is not animated with reduced motion. */
export const thumbFilters = (): ProcessorFilterInput[] => [
  ...(lessMotion() ? [{ name: "page", args: "1" }] : []),
  { name: "format", args: "webp" },
];

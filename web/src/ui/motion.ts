import type { ProcessorFilterInput } from "../api/graphql";

/** Whether the person wants less motion. */
export const lessMotion = () =>
  globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;

/** The filters of a small picture, which does not move where less motion is wanted. */
export const thumbFilters = (): ProcessorFilterInput[] => [
  ...(lessMotion() ? [{ name: "page", args: "1" }] : []),
  { name: "format", args: "webp" },
];

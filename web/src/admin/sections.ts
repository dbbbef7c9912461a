/** The parts of the administration by what stands in the address, besides the one that it begins with. */
export const sections = [
  "accounts",
  "tokens",
  "audit",
  "signing",
  "families",
  "presets",
  "storage",
  "cache",
  "index",
  "settings",
  "diagnosis",
] as const;

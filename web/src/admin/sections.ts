/** The parts of the administration by what stands in the address, besides the one that it begins with. */
export const sections = [
  "accounts",
  "groups",
  "tokens",
  "audit",
  "signing",
  "families",
  "presets",
  "fonts",
  "storage",
  "cache",
  "index",
  "webhooks",
  "mail",
  "settings",
  "diagnosis",
] as const;

/** Other words that people type into the address, and the sections they mean; empty for the first one. */
export const aliases: Readonly<Record<string, (typeof sections)[number] | "">> =
  {
    health: "",
    overview: "",
    users: "accounts",
    people: "accounts",
    "api-tokens": "tokens",
    delivery: "signing",
    system: "settings",
    log: "audit",
    "audit-log": "audit",
    keys: "families",
    "family-keys": "families",
    doctor: "diagnosis",
    hooks: "webhooks",
    email: "mail",
    smtp: "mail",
  };

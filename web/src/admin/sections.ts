/** The sections of the administration as written in the URL, except for the initial one. */
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

/** Alternative names in the URL and the sections that they lead to; empty for the initial one. */
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

// What the application says about checks; the server may have others by now.
const names = [
  "apps",
  "clock",
  "data",
  "database",
  "engine",
  "files",
  "fonts",
  "formats",
  "isolation",
  "keys",
  "library",
  "mail",
  "memory",
  "mount",
  "mounts",
  "remote",
  "results",
  "secrets",
  "sign-in",
  "storage",
  "storage in use",
  "traces",
  "webhooks",
  "workers",
] as const;
const advised = [
  "clock",
  "database",
  "files",
  "keys",
  "mail",
  "remote",
  "results",
  "secrets",
  "sign-in",
  "storage",
  "traces",
] as const;
const settings = new Map(
  Object.entries({
    database: "database",
    files: "storage",
    isolation: "isolation",
    keys: "data",
    mail: "smtp",
    memory: "memory-limit",
    remote: "remote-",
    results: "result-cache",
    "sign-in": "sign-in-providers",
    storage: "storage",
    traces: "trace-",
    workers: "workers",
  }),
);

const within = (list: readonly string[], check: string) => list.includes(check);

/** The message key for the name of a check; null if it has none. */
export const nameOf = (check: string): `admin.finding.${string}` | null =>
  within(names, check) ? `admin.finding.${check}` : null;

/** The message key for the advice when a check fails. */
export const adviceOf = (check: string): `admin.advice.${string}` =>
  `admin.advice.${within(advised, check) ? check : "other"}`;

/** The URL of the settings for a check; undefined if there are none. */
export const settingsOf = (check: string): string | undefined =>
  settings.has(check) ? `/admin/settings?q=${settings.get(check)}` : undefined;

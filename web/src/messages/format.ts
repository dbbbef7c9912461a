import { language } from "./index.svelte";

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Formats bytes with a unit: 8.1 MB. */
export function formatBytes(
  bytes: number,
  locale: string = language.current,
): string {
  const power = Math.min(
    sizes.length - 1,
    bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3),
  );
  const value = bytes / 1000 ** power;
  const digits = power === 0 || value >= 100 ? 0 : 1;
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: sizes[power],
    unitDisplay: "short",
    maximumFractionDigits: digits,
  }).format(value);
}

/** Formats a date: Mar 14, 2026. */
export function formatDate(time: string | Date): string {
  return new Intl.DateTimeFormat(language.current, {
    dateStyle: "medium",
  }).format(new Date(time));
}

/** Formats a month in UTC, as the API returns it: March 2026. */
export function formatMonth(time: string): string {
  return new Intl.DateTimeFormat(language.current, {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  }).format(new Date(time));
}

/** Formats a date and time. */
export function formatDateTime(time: string | Date): string {
  return new Intl.DateTimeFormat(language.current, {
    dateStyle: "medium",
    timeStyle: "short",
  }).format(new Date(time));
}

const steps = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Formats a time relative to now: 3 days ago, in 2 hours. */
export function formatRelative(time: string | Date, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(language.current, {
    numeric: "auto",
  });
  const whole = seconds > 0 ? Math.round : Math.trunc; // 30 days in the future must not become 29 one second later
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length)
      return format.format(whole(seconds / length), unit);
  }
  return format.format(whole(seconds), "second");
}

/** Formats a number, with at most one decimal below ten: 4.5, 184. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language.current, {
    maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0,
  }).format(value);
}

/** Formats a share of 1 as a percentage, with at most one decimal below ten: 184%, 4.5%. */
export function formatPercent(
  share: number,
  locale: string = language.current,
): string {
  return new Intl.NumberFormat(locale, {
    style: "percent",
    maximumFractionDigits: Math.abs(share) < 0.1 ? 1 : 0,
  }).format(share);
}

/** Formats a number of files. The server counts up to 1,000, and returns null for more. */
export const formatCount = (count: number | null | undefined): string =>
  count == null ? formatAtLeast(1000) : formatNumber(count);

/** Formats a lower bound: 1,000+. */
export function formatAtLeast(value: number): string {
  return `${formatNumber(value)}+`;
}

/** Formats a distance: 25 km, 300 m. */
export function formatKilometers(kilometers: number): string {
  const short = kilometers < 1;
  return new Intl.NumberFormat(language.current, {
    style: "unit",
    unit: short ? "meter" : "kilometer",
    maximumSignificantDigits: 3,
  }).format(short ? kilometers * 1000 : kilometers);
}

/** The name of a country by its code: Japan. An invalid code is returned unchanged. */
export function formatCountry(code: string): string {
  return /^[a-z]{2}$/i.test(code)
    ? (new Intl.DisplayNames(language.current, {
        type: "region",
        fallback: "code",
      }).of(code.toUpperCase()) ?? code)
    : code;
}

/** Formats a place of a search, `Kyoto, JP`, with the name of its country: Kyoto, Japan. */
export function formatPlace(name: string): string {
  const [, before = "", code = ""] = /^(.*,\s*)?([^,]*)$/.exec(name) ?? [];
  return before + formatCountry(code);
}

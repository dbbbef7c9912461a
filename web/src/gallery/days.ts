import { language } from "../messages/index.svelte";

/** A day in the person's time zone as a number that increases with time and is never 0. */
export function dayOf(time: string | Date): number {
  const date = new Date(time);
  return (date.getFullYear() * 12 + date.getMonth()) * 32 + date.getDate() || 1;
}

/**
 * The displayed name of a day: Today, Yesterday, Wednesday, November 25; with the year unless it is
 * the current one.
 */
export function nameOfDay(day: number, now = new Date()): string {
  const months = Math.floor(day / 32);
  const date = new Date(Math.floor(months / 12), months % 12, day % 32);
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  const near = [dayOf(now), dayOf(yesterday)].indexOf(day);
  const name =
    near >= 0
      ? new Intl.RelativeTimeFormat(language.current, {
          numeric: "auto",
        }).format(-near, "day")
      : new Intl.DateTimeFormat(language.current, {
          weekday: "long",
          month: "long",
          day: "numeric",
          ...(date.getFullYear() !== now.getFullYear() && { year: "numeric" }),
        }).format(date);
  return name.charAt(0).toLocaleUpperCase(language.current) + name.slice(1);
}

/** The maximum number of characters of a name; file systems and the server limit names. */
const most = 80;

/** The name of a ZIP with a title and a date. Characters that are invalid in file names are removed. */
export function zipName(title: string, day: Date): string {
  const plain = [...title.replace(/[\p{Cc}\\/:*?"<>|]+/gu, " ").trim()]
    .slice(0, most)
    .join("")
    .trim();
  const two = (n: number) => String(n).padStart(2, "0");
  const date = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  return `${[plain, date].filter(Boolean).join(" ")}.zip`;
}

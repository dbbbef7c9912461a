/** Characters of a name that are kept; file systems and the server limit names. */
const most = 80;

/** The name of a ZIP of what `title` names, made on a day: what no file name may have in it is left out. */
export function zipName(title: string, day: Date): string {
  const plain = [...title.replace(/[\p{Cc}\\/:*?"<>|]+/gu, " ").trim()]
    .slice(0, most)
    .join("")
    .trim();
  const two = (n: number) => String(n).padStart(2, "0");
  const date = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  return `${[plain, date].filter(Boolean).join(" ")}.zip`;
}

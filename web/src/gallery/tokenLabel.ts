import type { NearFilter } from "../api/graphql";
import {
  formatBytes,
  formatDate,
  formatKilometers,
  formatMonth,
  formatPlace,
} from "../messages/format";
import { t, type Key } from "../messages/index.svelte";
import {
  datesOf,
  nearOf,
  sizeOf,
  swatches,
  usualDistance,
  type Token,
} from "./query";

/** The label of a valid token. */
export function tokenLabel({ name, value }: Token): string {
  switch (name) {
    case "is":
      return t(`filter.${value.toLowerCase()}` as Key);
    case "has":
      return t("filter.hasPlace");
    case "color":
      return swatches.has(value.toLowerCase())
        ? t(`color.${value.toLowerCase()}` as Key)
        : t("filter.color");
    case "type":
      return value.toUpperCase();
    case "place":
      return value.toLowerCase() === "none"
        ? t("filter.noPlace")
        : formatPlace(value);
    case "near":
      return nearLabel(nearOf(value)!);
    case "area":
      return t("filter.area");
    case "folder":
      return t("filter.in", {
        value: value.replace(/^\/|\/$/g, "").replaceAll("/", " / "),
      });
    case "rating":
      return /^[1-5]$/.test(value)
        ? t("filter.rating", { n: Number(value) })
        : t("filter.unrated");
    case "size": {
      const size = sizeOf(value)!;
      return t(size.most ? "filter.smaller" : "filter.larger", {
        value: formatBytes(size.bytes),
      });
    }
    case "date":
      return dateLabel(value);
    default:
      return t(`filter.${name}` as Key, { value });
  }
}

function nearLabel({ center, kilometers }: NearFilter): string {
  const at = center.position;
  return t("filter.nearBy", {
    distance: formatKilometers(kilometers ?? usualDistance),
    value: at
      ? `${at.latitude.toFixed(3)}, ${at.longitude.toFixed(3)}`
      : formatPlace(center.city ?? ""),
  });
}

/** The label of a `date` token: 2024, June 2024, Jun 14, 2024, or a range of two. */
export function dateLabel(value: string): string {
  const parts = value.split("..").map((part) => {
    if (part.length < 5) return part;
    const from = datesOf(part)!.from!;
    return part.length === 7
      ? formatMonth(from)
      : formatDate(`${part}T12:00:00`);
  });
  return parts.join(" – ").trim();
}

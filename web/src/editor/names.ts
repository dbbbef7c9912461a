import { t } from "../messages/index.svelte";
import type { Step } from "./step";

const parts = new Set([
  "crop",
  "size",
  "flip",
  "fit",
  "padding",
  "align",
  "trim",
]);
const known = [
  "white_balance",
  "exposure",
  "highlights",
  "shadows",
  "curve",
  "vibrance",
  "brightness",
  "contrast",
  "saturation",
  "hue",
  "rgb",
  "grayscale",
  "invert",
  "blur",
  "sharpen",
  "pixelate",
  "round_corner",
  "background_color",
  "fill",
  "rotate",
  "straighten",
  "text",
  "image",
  "format",
  "quality",
  "max_bytes",
  "lossless",
  "keep_metadata",
  "focal",
  "upscale",
  "group",
] as const;

/** The displayed name of a filter; a filter without a control keeps its own name. */
export const nameFilter = (name: string) =>
  (known as readonly string[]).includes(name)
    ? t(`editor.filter.${name as (typeof known)[number]}`)
    : name;

/** The displayed name of a history step. */
export function nameStep({ kind, what, value }: Step): string {
  if (kind === "part")
    return `${parts.has(what) ? t(`editor.step.${what as "crop"}`) : what} ${value}`.trim();
  const name = `${nameFilter(what)} ${value}`.trim();
  return kind === "set" || kind === "add"
    ? name
    : t(`editor.step.${kind}`, { name });
}

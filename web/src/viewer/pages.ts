import type { ProcessorFilterInput, ViewedFragment } from "../api/graphql";
import type { Size, Source } from "./zoom";

/** The parts of a file: pages of a document, frames of an animation, or null for a single picture. */
export type Several = "pages" | "frames" | null;
type Kind = Pick<ViewedFragment, "format" | "pages">;

/** Whether a file is a picture that can be displayed, as far as is known. */
export const isShowable = (
  file: Pick<ViewedFragment, "format" | "analysisState"> | null | undefined,
): boolean => Boolean(file?.format) && file?.analysisState !== "FAILED";

/** The kind of a file's parts. */
export function severalOf({ format, pages }: Kind): Several {
  if (!pages || pages < 2) return null;
  return format === "PDF" || format === "TIFF"
    ? "pages"
    : format === "GIF" || format === "WEBP"
      ? "frames"
      : null;
}

/** The page that a URL names, from 1 to `pages`; 1 if it is not a number. */
export function pageOf(text: string | null, pages: number): number {
  const number = Number.parseInt(text ?? "", 10);
  return Number.isNaN(number)
    ? 1
    : Math.min(Math.max(number, 1), Math.max(pages, 1));
}

/** The filters that select a page; empty for the whole file. */
export const filtersOf = (page: number | null): ProcessorFilterInput[] =>
  page === null ? [] : [{ name: "page", args: String(page) }];

/** The longer side of a PDF or an SVG on the stage, in pixels: such a file has no pixels of its own. */
const drawn = 4000;

/** Whether a picture is a vector image, which can be drawn at any size. */
export const isVector = (format: ViewedFragment["format"]) =>
  format === "PDF" || format === "SVG";

/** The size at which a picture is shown: its own, or the drawing size of a vector image. */
export function shownSize(format: ViewedFragment["format"], size: Size): Size {
  if (!isVector(format)) return size;
  const scale = Math.max(1, drawn / Math.max(size.width, size.height));
  return {
    width: Math.round(size.width * scale),
    height: Math.round(size.height * scale),
  };
}

/** The sources for displaying a picture of some size, smallest first. `full` is the URL of its own pixels. */
export function sourcesFor(
  format: ViewedFragment["format"],
  size: Size | null,
  screens: readonly Source[],
  full: string,
): Source[] {
  const width = size?.width;
  if (isVector(format)) {
    const enough = screens.findIndex((source) => source.width >= (width ?? 0));
    return screens.slice(0, enough < 0 ? undefined : enough + 1);
  }
  const sized = screens.filter((source) => !width || source.width <= width);
  return full ? [...sized, { url: full, width: width ?? Infinity }] : sized;
}

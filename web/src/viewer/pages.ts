import type { ProcessorFilterInput, ViewedFragment } from "../api/graphql";
import type { Size, Source } from "./zoom";

/** What a file has several of: pages that are turned, frames that are played, or neither. */
export type Several = "pages" | "frames" | null;
type Kind = Pick<ViewedFragment, "format" | "pages">;

/** Whether a file is a picture that can be shown, as far as is known. */
export const isShowable = (
  file: Pick<ViewedFragment, "format" | "analysisState"> | null | undefined,
): boolean => Boolean(file?.format) && file?.analysisState !== "FAILED";

/** What the parts of a file are. */
export function severalOf({ format, pages }: Kind): Several {
  if (!pages || pages < 2) return null;
  return format === "PDF" || format === "TIFF"
    ? "pages"
    : format === "GIF" || format === "WEBP"
      ? "frames"
      : null;
}

/** The page that an address names, from 1, of so many; the first for what is no number. */
export function pageOf(text: string | null, pages: number): number {
  const number = Number.parseInt(text ?? "", 10);
  return Number.isNaN(number)
    ? 1
    : Math.min(Math.max(number, 1), Math.max(pages, 1));
}

/** The filters that choose a page; none for the file as it is. */
export const filtersOf = (page: number | null): ProcessorFilterInput[] =>
  page === null ? [] : [{ name: "page", args: String(page) }];

/** How long the longer side of a PDF or an SVG is on the stage, in pixels: such a picture has no pixels of its own. */
const drawn = 4000;

/** Whether a picture is drawn, at any size. */
export const isVector = (format: ViewedFragment["format"]) =>
  format === "PDF" || format === "SVG";

/** The size that is shown of a picture: its own, or that in which a vector is drawn. */
export function shownSize(format: ViewedFragment["format"], size: Size): Size {
  if (!isVector(format)) return size;
  const scale = Math.max(1, drawn / Math.max(size.width, size.height));
  return {
    width: Math.round(size.width * scale),
    height: Math.round(size.height * scale),
  };
}

/** The sources that make a picture of a size sharp, smallest first; `full` is it in its own pixels. */
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

import type { FileFilter, ImageFormat } from "../api/graphql";

/** What the host requests in the URL. */
export type Wanted = {
  multiple: boolean;
  formats: ImageFormat[] | null;
  width: number | null;
};

const widths = [480, 960, 1600, 2400];
const formats: readonly ImageFormat[] = [
  "JPEG",
  "PNG",
  "GIF",
  "WEBP",
  "AVIF",
  "HEIF",
  "TIFF",
  "JXL",
  "JP2",
  "SVG",
  "PDF",
  "BMP",
];

/**
 * Parses `multiple`, `type` and `width`. Unknown types are ignored; without a valid one, every
 * picture is offered.
 */
export function wantedOf(query: Pick<URLSearchParams, "get">): Wanted {
  const types = (query.get("type") ?? "")
    .toUpperCase()
    .replaceAll("JPG", "JPEG")
    .split(",");
  const named = formats.filter((format) => types.includes(format));
  const width = Number(query.get("width"));
  return {
    multiple: query.get("multiple") === "true",
    formats: named.length ? named : null,
    width: Number.isInteger(width) && width > 0 ? width : null,
  };
}

/** Limits the filter of a search to the types that the host accepts. */
export function within(
  { formats: taken }: Wanted,
  filter: FileFilter,
): FileFilter {
  const both = (taken ?? formats).filter(
    (format) => filter.formats?.includes(format) ?? true,
  );
  return { ...filter, formats: both.length ? both : [...(taken ?? formats)] };
}

/**
 * The width of the result and the widths of its srcset, none of which exceeds that of the picture,
 * if known.
 */
export function sizesOf(
  wanted: number | null,
  source: number | null,
): { width: number | null; widths: number[] } {
  const width = wanted && Math.min(wanted, source ?? wanted);
  const most = width ?? source;
  return {
    width,
    widths: most ? [...widths.filter((one) => one < most), most] : widths,
  };
}

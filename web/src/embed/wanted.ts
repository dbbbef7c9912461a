import type { FileFilter, ImageFormat } from "../api/graphql";

/** What a host asks for in the address. */
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

/** Reads `multiple`, `type` and `width`. A type that is none is left out; without any, every picture is offered. */
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

/** The filter of a search within what the host takes. */
export function within(
  { formats: taken }: Wanted,
  filter: FileFilter,
): FileFilter {
  const both = (taken ?? formats).filter(
    (format) => filter.formats?.includes(format) ?? true,
  );
  return { ...filter, formats: both.length ? both : [...(taken ?? formats)] };
}

/** The width of the result and those of its srcset: never wider than the picture, if that is known. */
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

import { sources as sourcesOf, srcset } from "@safelight/client";

/**
 * The data for a snippet. URLs are as the API returns them. `family` is a template for all widths
 * and formats, best format first. It is empty if the server does not sign families; `url`,
 * `markdown` and `css` do not need it.
 */
export type Pieces = {
  alt: string;
  width: number;
  height: number;
  url: string;
  family: string;
};
export type SnippetKind =
  "url" | "img" | "picture" | "react" | "next" | "markdown" | "css";

/** The `sizes` attribute: the chosen width, or that of a narrower screen. */
const sizesOf = ({ width }: Pieces) =>
  `(max-width: ${width}px) 100vw, ${width}px`;
const escapeHtml = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
/** A URL of the API with the origin added. */
export const absolute = (url: string, origin: string) =>
  url.startsWith("/") ? origin + url : url;
/** A srcset with the origin added to each URL. */
export const absoluteSet = (set: string, origin: string) =>
  set.replace(/(^|,\s*)\//g, `$1${origin}/`);

/** The text to paste into a page, with absolute URLs. */
export function snippet(
  kind: SnippetKind,
  pieces: Pieces,
  origin: string,
): string {
  const url = absolute(pieces.url, origin);
  const lines = (set: string) => escapeHtml(set).replaceAll(", ", ",\n    ");
  const box =
    pieces.width && pieces.height
      ? ` width="${pieces.width}" height="${pieces.height}"`
      : "";
  const image = `src="${escapeHtml(url)}"${box} alt="${escapeHtml(pieces.alt)}" loading="lazy"`;
  const family = absolute(pieces.family, origin);
  const sizes = sizesOf(pieces);
  switch (kind) {
    case "url":
      return url;
    case "img":
      return `<img\n  srcset="\n    ${lines(srcset(family, { format: "webp" }))}"\n  sizes="${sizes}"\n  ${image}>`;
    case "picture": {
      const { best, last } = formats(family);
      return `<picture>\n${best.map(({ type, srcset }) => `  <source type="${type}" sizes="${sizes}" srcset="\n    ${lines(srcset)}">\n`).join("")}  <img sizes="${sizes}" srcset="\n    ${lines(last)}"\n    ${image}>\n</picture>`;
    }
    case "react": {
      const { best, last } = formats(family);
      return `<picture>\n${best.map(({ type, srcset }) => `  <source type="${type}" sizes="${sizes}" srcSet=${value(srcset)} />\n`).join("")}  <img src=${value(url)} sizes="${sizes}" srcSet=${value(last)}${boxOf(pieces)} alt=${value(pieces.alt)} loading="lazy" />\n</picture>`;
    }
    case "next":
      return `import Image from 'next/image'\nimport loader from '@safelight/client/next'\n\n<Image loader={loader} src=${value(family)}${boxOf(pieces)} sizes="${sizes}" alt=${value(pieces.alt)} />`;
    case "markdown":
      return `![${pieces.alt.replaceAll(/[\\[\]]/g, "\\$&")}](<${url}>)`;
    case "css":
      return `background: url("${url.replaceAll('"', "%22")}") center / cover no-repeat;`;
  }
}

// A browser uses the first source that it supports; the last format goes into the <img>, because all browsers
// support it.
function formats(family: string) {
  const all = sourcesOf(family);
  return { best: all.slice(0, -1), last: all.at(-1)?.srcset ?? "" };
}

// A JavaScript string is a safe JSX attribute whatever it contains.
const value = (text: string) => `{${JSON.stringify(text)}}`;
const boxOf = ({ width, height }: Pieces) =>
  width && height ? ` width={${width}} height={${height}}` : "";

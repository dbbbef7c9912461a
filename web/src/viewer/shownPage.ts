import type { ViewedFragment } from "../api/graphql";
import { request } from "../api/request";
import { ownAddress } from "./colors";
import { ViewedPage } from "./documents";
import { filtersOf, severalOf, shownSize, sourcesFor } from "./pages";
import { parseSrcset, type Size, type Source } from "./zoom";

/** A page of a file, or a frame of a paused animation. */
export type ShownPage = {
  path: string;
  page: number;
  small: string;
  sources: Source[];
  /** `size` is the displayed size, `own` that in the page's own pixels. */ size: Size | null;
  own: Size | null;
};

/** Loads a page: its URLs, and its size if pages differ in size. */
export async function loadShownPage(
  file: ViewedFragment,
  page: number,
  signal: AbortSignal,
): Promise<ShownPage> {
  const shown = [...filtersOf(page), { name: "format", args: "webp" }];
  const { file: found } = await request(
    ViewedPage,
    { path: file.path, page: filtersOf(page), shown },
    { signal },
  );
  const own =
    severalOf(file) === "pages"
      ? await sizeOf(found?.meta, signal)
      : file.width && file.height
        ? { width: file.width, height: file.height }
        : null;
  const size = own && shownSize(file.format, own);
  return {
    path: file.path,
    page,
    small: found?.small ?? "",
    sources: sourcesFor(
      file.format,
      size,
      parseSrcset(found?.screens ?? ""),
      found?.full ?? "",
    ),
    size,
    own,
  };
}

async function sizeOf(
  meta: string | null | undefined,
  signal: AbortSignal,
): Promise<Size | null> {
  const { width, height } = (await answerOf(meta, signal)) as Partial<Size>;
  return width && height ? { width, height } : null;
}

/** The JSON that a metadata URL returns; an empty object on failure. */
export async function answerOf(
  meta: string | null | undefined,
  signal: AbortSignal,
): Promise<object> {
  if (!meta) return {};
  const answer = await fetch(ownAddress(meta, location.origin), {
    signal,
    credentials: "omit",
  }).catch(() => null);
  return answer?.ok ? ((await answer.json().catch(() => ({}))) as object) : {};
}

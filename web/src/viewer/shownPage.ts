import type { ViewedFragment } from "../api/graphql";
import { request } from "../api/request";
import { ownAddress } from "./colors";
import { ViewedPage } from "./documents";
import { filtersOf, severalOf, shownSize, sourcesFor } from "./pages";
import { parseSrcset, type Size, type Source } from "./zoom";

/** A page of a file, or a frame that stands still. */
export type ShownPage = {
  path: string;
  page: number;
  small: string;
  sources: Source[];
  /** As it is shown, and in its own pixels. */ size: Size | null;
  own: Size | null;
};

/** Asks for a page: its addresses, and its size where pages have one of their own. */
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

/** What an address of metadata answers; an empty object when it does not. */
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

import { ApiError, request } from "../api/request";
import { absolute, absoluteSet } from "../viewer/snippets";
import { PickedSize, PickedUrls } from "./documents";
import type { PickedFile } from "./host";
import { sizesOf } from "./wanted";

/**
 * The result for a picked picture, no wider than the host wants. Throws ApiError if the picture no
 * longer exists.
 */
export async function resultOf(
  path: string,
  wantedWidth: number | null,
): Promise<PickedFile> {
  const { file } = await request(PickedSize, { path });
  if (!file) throw new ApiError("NOT_FOUND", path);
  const { width, widths } = sizesOf(wantedWidth, file.width ?? null);
  const { file: made } = await request(PickedUrls, { path, width, widths });
  const scale = width && file.width ? width / file.width : 1;
  return {
    path: file.path,
    name: file.name,
    url: absolute(made?.url ?? "", location.origin),
    srcset: absoluteSet(made?.srcset ?? "", location.origin),
    width: width ?? file.width ?? null,
    height: file.height ? Math.round(file.height * scale) : null,
    alt: file.description,
  };
}

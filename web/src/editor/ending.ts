import { nameOf } from "../gallery/folders.svelte";
import { t } from "../messages/index.svelte";

const endings: Record<string, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/jxl": "jxl",
  "image/tiff": "tif",
  "image/jp2": "jp2",
  "image/heif": "heif",
  "image/heic": "heic",
};

/** The usual ending of a media type; the second part of it when none is known. */
export const endingOf = (type: string) =>
  endings[type.split(";")[0]!.trim()] ??
  type.replace(/^.*\//, "").replace(/[^a-z0-9].*$/, "");

/** A name with an ending, which is not doubled. */
export const withEnding = (name: string, ending: string) =>
  name.toLowerCase().endsWith(`.${ending}`) ? name : `${name}.${ending}`;

/** What the result of an edited file is called unless somebody names it, without an ending. */
export const editedName = (file: string) =>
  `${nameOf(file).replace(/\.[^.]*$/, "")}-${t("editor.save.suffix")}`;

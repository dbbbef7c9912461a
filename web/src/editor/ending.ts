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

/** The usual file extension of a media type; its subtype if none is known. */
export const endingOf = (type: string) =>
  endings[type.split(";")[0]!.trim()] ??
  type.replace(/^.*\//, "").replace(/[^a-z0-9].*$/, "");

/** A name with a file extension, which is not added twice. */
export const withEnding = (name: string, ending: string) =>
  name.toLowerCase().endsWith(`.${ending}`) ? name : `${name}.${ending}`;

/** The default name of an edited file's result, without its extension. */
export const editedName = (file: string) =>
  `${nameOf(file).replace(/\.[^.]*$/, "")}-${t("editor.save.suffix")}`;

import { messageOf } from "../api/request";
import { nameOf, parentOf } from "../gallery/folders.svelte";
import { t } from "../messages/index.svelte";
import { toasts, undo } from "../ui/toasts.svelte";
import { pickFile } from "../uploads/pick";
import { uploads } from "../uploads/uploads.svelte";
import { ownAddress } from "./colors";

const endings: Record<string, string> = { jpeg: "jpg", tiff: "tif" };
const endingOf = (path: string) => {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return endings[ending] ?? ending;
};

/** Whether a file may replace another: their names must have the same extension. */
export const mayReplace = (path: string, file: Pick<File, "name">): boolean =>
  endingOf(path) === endingOf(file.name);

/**
 * Lets the person choose a file that replaces a picture, which keeps its path, tags and links.
 * `original` is the URL of the current bytes, which an undo restores.
 */
export async function replace(path: string, original: string): Promise<void> {
  const picked = await pickFile();
  if (!picked) return;
  if (!mayReplace(path, picked))
    return void toasts.show(
      "error",
      t("viewer.replaceOther", { ending: endingOf(path) }),
    );
  try {
    const before = await bytesOf(path, original);
    upload(path, picked, () =>
      toasts.show(
        "done",
        t("viewer.replaced", { name: nameOf(path) }),
        undo(() =>
          upload(path, before, () =>
            toasts.show(
              "done",
              t("viewer.replaceUndone", { name: nameOf(path) }),
            ),
          ),
        ),
      ),
    );
  } catch (error) {
    toasts.show("error", messageOf(error));
  }
}

// A picture is only replaced if its current bytes can be restored.
async function bytesOf(path: string, url: string): Promise<File> {
  const response = await fetch(ownAddress(url, location.origin), {
    credentials: "omit",
  }).catch(() => null);
  if (!response?.ok) throw new Error(t("error.offline"));
  const blob = await response.blob();
  return new File([blob], nameOf(path), { type: blob.type });
}

function upload(path: string, file: File, done: () => void): void {
  const picked = [{ file, path: nameOf(path), only: true }];
  const [begun] = uploads.add(parentOf(path), picked, { policy: "REPLACE" });
  if (begun) begun.ondone = done;
}

import { graphql, type CreateArchiveInput } from "../api/graphql";
import { request } from "../api/request";
import { t } from "../messages/index.svelte";
import { match } from "../router/path";
import { here } from "../router/router.svelte";
import { download } from "../ui/download";
import { nameOf } from "./folders.svelte";
import { zipName } from "./zipName";

const CreateArchive = graphql(`
  mutation CreateArchive($input: CreateArchiveInput!) {
    createArchive(input: $input) {
      archive {
        url
        name
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

/**
 * Downloads files and folders as one ZIP, which the server streams. The ZIP is named after the
 * search, folder or page, or after the only path, and the date.
 */
export const downloadArchive = (paths: readonly string[]): Promise<void> =>
  start({ paths: [...paths], name: zipName(from(paths), new Date()) });

/** Downloads an album as one ZIP, named after the album and the date. */
export const downloadAlbum = (albumId: string, title: string): Promise<void> =>
  start({ paths: [], albumId, name: zipName(title, new Date()) });

function from(paths: readonly string[]): string {
  if (paths.length === 1) return nameOf(paths[0]!);
  const folder = match("/f/*folder", here.path)?.folder;
  return (
    here.query.get("q") ||
    (folder === undefined
      ? here.path === "/"
        ? t("nav.library")
        : document.title.replace(/ · Safelight$/, "")
      : nameOf(folder) || t("nav.library"))
  );
}

async function start(input: CreateArchiveInput): Promise<void> {
  const { createArchive } = await request(CreateArchive, { input });
  const { url, name } = createArchive!.archive!;
  download(url, name);
}

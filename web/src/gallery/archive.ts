import { graphql, type CreateArchiveInput } from "../api/graphql";
import { refuse, request } from "../api/request";
import { download } from "../ui/download";

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

/** Downloads files and folders as one ZIP, which the server writes while the browser stores it. */
export const downloadArchive = (paths: readonly string[]): Promise<void> =>
  start({ paths: [...paths] });

/** Downloads an album as one ZIP. */
export const downloadAlbum = (albumId: string): Promise<void> =>
  start({ paths: [], albumId });

async function start(input: CreateArchiveInput): Promise<void> {
  const { createArchive } = await request(CreateArchive, { input });
  refuse(createArchive?.userErrors ?? []);
  const { url, name } = createArchive!.archive!;
  download(url, name);
}

import { graphql } from "../api/graphql";
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
export async function downloadArchive(paths: readonly string[]): Promise<void> {
  const { createArchive } = await request(CreateArchive, {
    input: { paths: [...paths] },
  });
  refuse(createArchive?.userErrors ?? []);
  const { url, name } = createArchive!.archive!;
  download(url, name);
}

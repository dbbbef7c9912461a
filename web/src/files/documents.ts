import { graphql } from "../api/graphql";

export const OriginalUrl = graphql(`
  query OriginalUrl($path: String!, $edit: Boolean!) {
    file(path: $path) {
      id
      name
      original: url(
        operations: { filters: [{ name: "raw" }, { name: "attachment" }] }
      ) @include(if: $edit)
      thumbnailUrls {
        original
      }
    }
  }
`);

export const FolderFacts = graphql(`
  query FolderFacts($path: String!) {
    folder(path: $path) {
      id
      modifiedAt
      fileCount
      totalSize
      folders(recursive: true, first: 1) {
        totalCount(exact: true)
      }
    }
  }
`);

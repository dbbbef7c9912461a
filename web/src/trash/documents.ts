import { graphql } from "../api/graphql";

export const TrashedFragment = graphql(`
  fragment Trashed on TrashedFile {
    id
    path
    name
    isFolder
    size
    fileCount
    trashedAt
    trashedBy
    purgeAt
    thumbHash
  }
`);

export const TrashPage = graphql(`
  query TrashPage($after: String, $count: Boolean!) {
    trashedFiles(first: 100, after: $after) {
      totalCount @include(if: $count)
      nodes {
        ...Trashed
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const EmptyTrash = graphql(`
  mutation EmptyTrash {
    emptyTrash {
      purgedCount
      userErrors {
        ...Refusal
      }
    }
  }
`);

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

export const GrantedFragment = graphql(`
  fragment Granted on Grant {
    path
    right
    to {
      ...Holder
    }
  }
`);
export const HolderFragment = graphql(`
  fragment Holder on Grantee {
    kind
    id
    name
  }
`);
export const Grants = graphql(`
  query Grants($folder: String!) {
    grants(folder: $folder) {
      ...Granted
    }
  }
`);
export const Grantees = graphql(`
  query Grantees($text: String!) {
    grantees(text: $text, limit: 8) {
      ...Holder
    }
  }
`);
export const SetGrants = graphql(`
  mutation SetGrants($input: SetGrantsInput!) {
    setGrants(input: $input) {
      grants {
        ...Granted
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

/** The state that the undo of tags and ratings restores. */
export const NotesOf = graphql(`
  query NotesOf($paths: [String!]!) {
    filesByPath(paths: $paths) {
      path
      tags
      rating
      favorite
    }
  }
`);

/** Checks which files exist. */
export const FilesThere = graphql(`
  query FilesThere($paths: [String!]!) {
    filesByPath(paths: $paths) {
      id
      path
    }
  }
`);
export const FolderThere = graphql(`
  query FolderThere($path: String!) {
    folder(path: $path) {
      path
    }
  }
`);
export const LatelyTrashed = graphql(`
  query LatelyTrashed($after: String) {
    trashedFiles(first: 100, after: $after) {
      nodes {
        id
        path
        isFolder
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const ItemDoneFragment = graphql(`
  fragment ItemDone on ItemResult {
    item
    ok
    error {
      code
      message
    }
  }
`);
export const MovedItemFragment = graphql(`
  fragment MovedItem on ItemResult {
    ...ItemDone
    file {
      path
    }
    folder {
      path
    }
  }
`);

export const TagFiles = graphql(`
  mutation TagFiles($input: TagFilesInput!) {
    tagFiles(input: $input) {
      results {
        ...ItemDone
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const RateFiles = graphql(`
  mutation RateFiles($input: RateFilesInput!) {
    rateFiles(input: $input) {
      results {
        ...ItemDone
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const TrashFiles = graphql(`
  mutation TrashFiles($input: TrashFilesInput!) {
    trashFiles(input: $input) {
      results {
        item
        ok
        trashed {
          id
          isFolder
        }
        error {
          code
          message
        }
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const RestoreFiles = graphql(`
  mutation RestoreFiles($input: RestoreFilesInput!) {
    restoreFiles(input: $input) {
      results {
        ...MovedItem
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const MoveFiles = graphql(`
  mutation MoveFiles($input: MoveFilesInput!) {
    moveFiles(input: $input) {
      results {
        ...MovedItem
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const CopyFiles = graphql(`
  mutation CopyFiles($input: CopyFilesInput!) {
    copyFiles(input: $input) {
      results {
        ...MovedItem
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const PurgeFiles = graphql(`
  mutation PurgeFiles($input: PurgeFilesInput!) {
    purgeFiles(input: $input) {
      results {
        ...ItemDone
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

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

import { graphql } from "../api/graphql";

export const CleanFileFragment = graphql(`
  fragment CleanFile on File {
    id
    path
    name
    size
    width
    height
    modifiedAt
    thumb: url(
      operations: { width: 240, height: 240, smart: true, filters: $shown }
    )
  }
`);

export const SimilarGroups = graphql(`
  query SimilarGroups($after: String, $shown: [ProcessorFilterInput!]!) {
    similarGroups(first: 20, after: $after) {
      nodes {
        count
        files {
          ...CleanFile
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const BrokenFiles = graphql(`
  query BrokenFiles($after: String, $shown: [ProcessorFilterInput!]!) {
    files(
      recursive: true
      filter: { isBroken: true }
      first: 100
      after: $after
    ) {
      nodes {
        ...CleanFile
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const DuplicateGroups = graphql(`
  query DuplicateGroups($after: String, $shown: [ProcessorFilterInput!]!) {
    duplicates(first: 20, after: $after) {
      nodes {
        sha256
        size
        count
        files {
          ...CleanFile
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

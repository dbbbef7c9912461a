import { graphql } from '../api/graphql'

export const DuplicateGroups = graphql(`
  query DuplicateGroups($after: String) {
    duplicates(first: 20, after: $after) {
      nodes {
        sha256
        size
        count
        files {
          id
          path
          name
          modifiedAt
          thumb: url(operations: { width: 240, height: 240, smart: true, filters: [{ name: "format", args: "webp" }] })
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`)

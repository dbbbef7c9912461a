import { graphql } from "../api/graphql";

export const PaletteSearch = graphql(`
  query PaletteSearch($search: String!, $shown: [ProcessorFilterInput!]!) {
    folders(recursive: true, search: $search, first: 6) {
      nodes {
        id
        path
        name
      }
    }
    files(recursive: true, search: $search, first: 8) {
      nodes {
        id
        path
        name
        format
        thumb: url(
          operations: { width: 64, height: 64, smart: true, filters: $shown }
        )
      }
    }
  }
`);

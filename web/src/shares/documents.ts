import { graphql } from "../api/graphql";

export const LinkFragment = graphql(`
  fragment Link on Share {
    id
    url
    name
    kind
    paths
    album {
      id
      title
    }
    hasPassword
    expiresAt
    isActive
    downloads
    uploadQuotaBytes
    uploadedBytes
    watermark
    visits
    lastVisitAt
    createdAt
    visitsByDay {
      day
      visits
    }
    owner {
      id
      displayName
    }
  }
`);
export const Links = graphql(`
  query Links($path: String, $albumId: ID, $all: Boolean!, $after: String) {
    shares(
      path: $path
      albumId: $albumId
      all: $all
      first: 50
      after: $after
    ) {
      nodes {
        ...Link
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const CreateLink = graphql(`
  mutation CreateLink($input: CreateShareInput!) {
    createShare(input: $input) {
      share {
        ...Link
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const RenewLink = graphql(`
  mutation RenewLink($input: UpdateShareInput!) {
    updateShare(input: $input) {
      share {
        ...Link
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const DeleteLink = graphql(`
  mutation DeleteLink($id: ID!) {
    deleteShare(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const Watermarks = graphql(`
  query Watermarks {
    presets(first: 100) {
      nodes {
        name
        operations
      }
    }
  }
`);

import { graphql } from "../api/graphql";

export const EditedFile = graphql(`
  query EditedFile($path: String!) {
    file(path: $path) {
      id
      path
      name
      format
      analysisState
      width
      height
      size
      focalPoint {
        x
        y
      }
      thumb: url(
        operations: { width: 480, filters: [{ name: "format", args: "webp" }] }
      )
    }
  }
`);

/**
 * A URL for pages of other sites. It refers to the file: if the file is replaced, the URL shows the
 * new picture.
 */
export const LastingUrl = graphql(`
  query LastingUrl($path: String!, $params: ProcessorParamsInput!) {
    file(path: $path) {
      id
      url(operations: $params, version: LATEST)
    }
  }
`);

export const SaveTemplate = graphql(`
  mutation SaveTemplate($input: SaveTemplateInput!) {
    saveTemplate(input: $input) {
      templatePath
      warnings
    }
  }
`);

export const PickImages = graphql(`
  query PickImages(
    $folder: String!
    $search: String
    $after: String
    $shown: [ProcessorFilterInput!]!
  ) {
    files(
      folder: $folder
      recursive: true
      search: $search
      sort: MODIFIED
      order: DESC
      first: 48
      after: $after
    ) {
      nodes {
        id
        path
        name
        format
        width
        thumb: url(operations: { height: 160, filters: $shown })
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const EditedTemplate = graphql(`
  query EditedTemplate($path: String!) {
    template(path: $path) {
      dimensionMode
      envelope
      variables {
        name
        type
        default
      }
    }
  }
`);

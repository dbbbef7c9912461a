import { graphql } from "../api/graphql";

export const PickedSize = graphql(`
  query PickedSize($path: String!) {
    file(path: $path) {
      id
      path
      name
      description
      width
      height
    }
  }
`);

export const EditedUrl = graphql(`
  query EditedUrl($path: String!, $params: ProcessorParamsInput!) {
    file(path: $path) {
      id
      name
      description
      url(operations: $params)
    }
  }
`);

export const PickedUrls = graphql(`
  query PickedUrls($path: String!, $width: Int, $widths: [Int!]!) {
    file(path: $path) {
      id
      url(operations: { width: $width })
      srcset(widths: $widths)
    }
  }
`);

import { graphql } from "../api/graphql";

export const CreateUpload = graphql(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) {
      upload {
        id
        url
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const FinishUpload = graphql(`
  mutation FinishUpload($input: FinishUploadInput!) {
    finishUpload(input: $input) {
      file {
        path
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const CancelUpload = graphql(`
  mutation CancelUpload($input: CancelUploadInput!) {
    cancelUpload(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const SameSize = graphql(`
  query SameSize($size: Int64!) {
    files(
      folder: ""
      recursive: true
      filter: { minSize: $size, maxSize: $size }
      sort: SIZE
      first: 100
    ) {
      nodes {
        path
        sha256
      }
    }
  }
`);

export const UploadProgress = graphql(`
  query UploadProgress($id: ID!) {
    upload(id: $id) {
      receivedBytes
    }
  }
`);

export const FileThere = graphql(`
  query FileThere($path: String!) {
    file(path: $path) {
      id
    }
  }
`);

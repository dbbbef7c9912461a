import { graphql } from '../api/graphql'

export const CreateUpload = graphql(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) {
      upload {
        id
        url
      }
      userErrors {
        code
        message
        field
        retryAfter
      }
    }
  }
`)

export const FinishUpload = graphql(`
  mutation FinishUpload($input: FinishUploadInput!) {
    finishUpload(input: $input) {
      file {
        path
      }
      userErrors {
        code
        message
        field
        retryAfter
      }
    }
  }
`)

export const CancelUpload = graphql(`
  mutation CancelUpload($input: CancelUploadInput!) {
    cancelUpload(input: $input) {
      userErrors {
        code
        message
        field
        retryAfter
      }
    }
  }
`)

import { graphql } from '../api/graphql'

/** Where templates are; the index knows them as files like any other. */
export const TemplateFiles = graphql(`
  query TemplateFiles($after: String) {
    files(recursive: true, search: "template json", sort: NAME, first: 100, after: $after) {
      nodes {
        id
        path
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`)

export const OneTemplate = graphql(`
  query OneTemplate($path: String!) {
    template(path: $path) {
      path
      name
      modifiedTime
      previewUrl
      envelope
      problem
      description
      dimensions {
        width
        height
      }
      sourceImagePath
      warnings
    }
  }
`)

export const ApplyTemplate = graphql(`
  mutation ApplyTemplate($json: String!, $image: String) {
    generateProcessorUrlFromTemplate(templateJson: $json, imagePath: $image)
  }
`)

export const PreviewTemplate = graphql(`
  mutation PreviewTemplate($json: String!, $image: String) {
    generateProcessorUrlFromTemplate(templateJson: $json, imagePath: $image, forPreview: true, previewMaxDimensions: { width: 480, height: 320 })
  }
`)

export const RenameTemplate = graphql(`
  mutation RenameTemplate($input: RenameTemplateInput!) {
    renameTemplate(input: $input) {
      template {
        path
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`)

export const DeleteTemplate = graphql(`
  mutation DeleteTemplate($input: DeleteTemplateInput!) {
    deleteTemplate(input: $input) {
      deletedPath
      userErrors {
        code
        message
        field
      }
    }
  }
`)

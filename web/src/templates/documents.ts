import { graphql } from '../api/graphql'

export const TemplateFragment = graphql(`
  fragment Template on Template {
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
`)

export const Templates = graphql(`
  query Templates($after: String) {
    templates(recursive: true, first: 50, after: $after) {
      nodes {
        ...Template
      }
      pageInfo {
        hasNextPage
        endCursor
      }
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

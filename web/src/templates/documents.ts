import { graphql } from "../api/graphql";

export const TemplateFragment = graphql(`
  fragment Template on Template {
    path
    name
    modifiedAt
    version
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
    variables {
      name
      type
      default
    }
  }
`);

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
`);

export const ApplyTemplate = graphql(`
  mutation ApplyTemplate($input: ApplyTemplateInput!) {
    applyTemplate(input: $input) {
      url
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const TemplateVersions = graphql(`
  query TemplateVersions($path: String!) {
    template(path: $path) {
      versions {
        number
        createdAt
        createdBy
        envelope
        problem
      }
    }
  }
`);

export const RestoreTemplateVersion = graphql(`
  mutation RestoreTemplateVersion($input: RestoreTemplateVersionInput!) {
    restoreTemplateVersion(input: $input) {
      template {
        version
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const RenameTemplate = graphql(`
  mutation RenameTemplate($input: RenameTemplateInput!) {
    renameTemplate(input: $input) {
      template {
        path
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const DeleteTemplate = graphql(`
  mutation DeleteTemplate($input: DeleteTemplateInput!) {
    deleteTemplate(input: $input) {
      deletedPath
      userErrors {
        ...Refusal
      }
    }
  }
`);

import { graphql } from "../api/graphql";

export const SavedSearchFragment = graphql(`
  fragment SavedSearch on SavedSearch {
    id
    name
    folder
    recursive
    search
    filter
    sort
    order
  }
`);

export const SavedSearches = graphql(`
  query SavedSearches($after: String) {
    savedSearches(first: 100, after: $after) {
      nodes {
        ...SavedSearch
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const CreateSavedSearch = graphql(`
  mutation CreateSavedSearch($input: CreateSavedSearchInput!) {
    createSavedSearch(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const RenameSavedSearch = graphql(`
  mutation RenameSavedSearch($input: RenameSavedSearchInput!) {
    renameSavedSearch(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const DeleteSavedSearch = graphql(`
  mutation DeleteSavedSearch($input: DeleteSavedSearchInput!) {
    deleteSavedSearch(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

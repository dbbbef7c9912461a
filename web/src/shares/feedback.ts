import { graphql } from "../api/graphql";

export const FeedbackComment = graphql(`
  fragment FeedbackComment on ShareComment {
    id
    text
    x
    y
    isHidden
    createdAt
    reviewer {
      id
      name
    }
    file {
      id
      name
      path
      small: url(
        operations: { height: 240, filters: [{ name: "format", args: "webp" }] }
      )
    }
  }
`);
export const FeedbackPicture = graphql(`
  fragment FeedbackPicture on ShareFeedback {
    picked
    rejected
    rating
    comments
    file {
      id
      name
      path
      small: url(
        operations: { height: 480, filters: [{ name: "format", args: "webp" }] }
      )
    }
    picks {
      choice
      rating
      updatedAt
      reviewer {
        id
        name
      }
    }
  }
`);
export const FeedbackLink = graphql(`
  query FeedbackLink($id: ID!) {
    node(id: $id) {
      ... on Share {
        id
        name
        allowFeedback
        feedbackSeenAt
        reviewers {
          id
          name
        }
      }
    }
  }
`);
export const FeedbackPictures = graphql(`
  query FeedbackPictures(
    $id: ID!
    $filter: FeedbackFilter
    $reviewer: ID
    $after: String
  ) {
    node(id: $id) {
      ... on Share {
        feedback(
          filter: $filter
          reviewerId: $reviewer
          first: 50
          after: $after
        ) {
          nodes {
            ...FeedbackPicture
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  }
`);
export const FeedbackNames = graphql(`
  query FeedbackNames(
    $id: ID!
    $filter: FeedbackFilter
    $reviewer: ID
    $after: String
  ) {
    node(id: $id) {
      ... on Share {
        feedback(
          filter: $filter
          reviewerId: $reviewer
          first: 100
          after: $after
        ) {
          nodes {
            file {
              id
              name
              path
            }
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  }
`);
export const FeedbackComments = graphql(`
  query FeedbackComments($id: ID!, $reviewer: ID, $after: String) {
    node(id: $id) {
      ... on Share {
        comments(reviewerId: $reviewer, first: 50, after: $after) {
          nodes {
            ...FeedbackComment
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  }
`);
export const MarkFeedbackSeen = graphql(`
  mutation MarkFeedbackSeen($id: ID!) {
    markFeedbackSeen(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const HideComment = graphql(`
  mutation HideComment($id: ID!, $isHidden: Boolean!) {
    hideShareComment(input: { id: $id, isHidden: $isHidden }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const DeleteComment = graphql(`
  mutation DeleteComment($id: ID!) {
    deleteShareComment(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const DeleteReviewer = graphql(`
  mutation DeleteReviewer($id: ID!) {
    deleteShareReviewer(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const FeedbackChanges = graphql(`
  subscription FeedbackChanges {
    feedbackChanges {
      shareId
    }
  }
`);
export const NewFeedback = graphql(`
  query NewFeedback {
    newFeedback
  }
`);

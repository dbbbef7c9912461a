import { graphql } from "../api/graphql";

/** Whether the server still takes the session: it refuses one that has ended. */
export const CheckSession = graphql(`
  query CheckSession {
    me {
      id
    }
  }
`);

export const LogoutEverywhere = graphql(`
  mutation LogoutEverywhere {
    endSessions(input: {}) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const RenameMe = graphql(`
  mutation RenameMe($input: UpdateProfileInput!) {
    updateProfile(input: $input) {
      id
      displayName
    }
  }
`);

export const ChangeMyPassword = graphql(`
  mutation ChangeMyPassword($input: ChangePasswordInput!) {
    changePassword(input: $input)
  }
`);

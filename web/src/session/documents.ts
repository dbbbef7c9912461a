import { graphql } from "../api/graphql";

/** Checks whether the server still accepts the session. */
export const CheckSession = graphql(`
  query CheckSession {
    me {
      id
    }
  }
`);

export const SessionFragment = graphql(`
  fragment Session on Session {
    id
    browser
    system
    userAgent
    address
    createdAt
    lastUsedAt
    isCurrent
  }
`);
export const MySessions = graphql(`
  query MySessions {
    me {
      sessions(first: 100) {
        nodes {
          ...Session
        }
      }
    }
  }
`);
export const SessionsOf = graphql(`
  query SessionsOf($userId: ID!) {
    user(id: $userId) {
      sessions(first: 100) {
        nodes {
          ...Session
        }
      }
    }
  }
`);
export const EndSession = graphql(`
  mutation EndSession($id: ID!) {
    endSession(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
/** Ends all sessions of another account, or all but the current one of the person's own. */
export const EndOtherSessions = graphql(`
  mutation EndOtherSessions($userId: ID) {
    endSessions(input: { userId: $userId, keepCurrent: true }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

/** Revokes the person's API tokens and ends their other sessions. */
export const RevokeMyTokens = graphql(`
  mutation RevokeMyTokens {
    endSessions(input: { keepCurrent: true, revokeApiTokens: true }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const FactorsFragment = graphql(`
  fragment Factors on SecondFactor {
    appAddedAt
    passkeys {
      id
      name
      host
      createdAt
      lastUsedAt
    }
    recoveryCodesLeft
    isRequired
  }
`);
export const MyFactors = graphql(`
  query MyFactors {
    apiTokens(first: 1) {
      nodes {
        id
      }
    }
    me {
      secondFactor {
        ...Factors
      }
    }
  }
`);
export const MySecurityEvents = graphql(`
  query MySecurityEvents {
    me {
      securityEvents(first: 20) {
        nodes {
          id
          createdAt
          action
          actorId
          actorName
          ipAddress
          before
          after
        }
      }
    }
  }
`);
export const RemoveApp = graphql(`
  mutation RemoveApp {
    removeAuthenticatorApp {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const RemovePasskey = graphql(`
  mutation RemovePasskey($id: ID!, $endSessions: Boolean!) {
    removePasskey(input: { id: $id, endSessions: $endSessions }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const CreateRecoveryCodes = graphql(`
  mutation CreateRecoveryCodes {
    createRecoveryCodes {
      codes
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
export const MyEmail = graphql(`
  query MyEmail {
    me {
      email
    }
  }
`);
export const ChangeMyEmail = graphql(`
  mutation ChangeMyEmail($input: ChangeEmailInput!) {
    changeEmail(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

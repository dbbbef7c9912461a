import { graphql } from "../api/graphql";

export const AccountFragment = graphql(`
  fragment Account on User {
    id
    displayName
    username
    email
    role
    isActive
    createdAt
    lastLoginAt
    storedBytes
  }
`);
export const Accounts = graphql(`
  query Accounts($offset: Int, $search: String) {
    users(offset: $offset, limit: 50, search: $search) {
      items {
        ...Account
      }
      totalCount
    }
  }
`);
/** The names of accounts, by id. */
export const Names = graphql(`
  query Names {
    users(limit: 1000) {
      items {
        id
        username
      }
    }
  }
`);
export const MakeAccount = graphql(`
  mutation MakeAccount($input: CreateUserInput!) {
    createUser(input: $input) {
      id
    }
  }
`);
export const ChangeAccount = graphql(`
  mutation ChangeAccount($input: UpdateProfileInput!, $userId: ID!) {
    updateProfile(input: $input, userId: $userId) {
      ...Account
    }
  }
`);
export const ResetSecondFactor = graphql(`
  mutation ResetSecondFactor($userId: ID!, $revokeApiTokens: Boolean!) {
    resetSecondFactor(
      input: { userId: $userId, revokeApiTokens: $revokeApiTokens }
    ) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const SecondFactorPolicy = graphql(`
  query SecondFactorPolicy {
    secondFactorPolicy {
      roles
      includesProviders
    }
  }
`);
export const ConfigureSecondFactor = graphql(`
  mutation ConfigureSecondFactor($input: ConfigureSecondFactorInput!) {
    configureSecondFactor(input: $input) {
      policy {
        roles
        includesProviders
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const InviteAccount = graphql(`
  mutation InviteAccount($input: InviteUserInput!) {
    inviteUser(input: $input) {
      invitation {
        token
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const DeactivateAccount = graphql(`
  mutation DeactivateAccount($userId: ID!) {
    deactivateAccount(userId: $userId)
  }
`);
export const ReactivateAccount = graphql(`
  mutation ReactivateAccount($userId: ID!) {
    reactivateAccount(userId: $userId)
  }
`);
export const DeleteAccount = graphql(`
  mutation DeleteAccount($userId: ID!) {
    deleteUser(input: { userId: $userId }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const GroupFragment = graphql(`
  fragment Group on Group {
    id
    name
    members(first: 1) {
      totalCount
    }
  }
`);
export const Groups = graphql(`
  query Groups($after: String) {
    groups(first: 100, after: $after) {
      nodes {
        ...Group
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const GroupMembers = graphql(`
  query GroupMembers($id: ID!, $after: String) {
    node(id: $id) {
      ... on Group {
        members(first: 100, after: $after) {
          nodes {
            id
            username
            displayName
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
export const MakeGroup = graphql(`
  mutation MakeGroup($input: CreateGroupInput!) {
    createGroup(input: $input) {
      group {
        ...Group
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const ChangeGroup = graphql(`
  mutation ChangeGroup($input: UpdateGroupInput!) {
    updateGroup(input: $input) {
      group {
        ...Group
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const DeleteGroup = graphql(`
  mutation DeleteGroup($id: ID!) {
    deleteGroup(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const WebhookFragment = graphql(`
  fragment Webhook on Webhook {
    id
    name
    url
    events
    folder
    isActive
    isGone
    createdAt
    waiting: deliveries(state: PENDING, first: 1) {
      totalCount
    }
    failed: deliveries(state: FAILED, first: 1) {
      totalCount
    }
    delivered: deliveries(state: DELIVERED, first: 1) {
      totalCount
    }
  }
`);
export const Webhooks = graphql(`
  query Webhooks {
    webhooks(first: 50) {
      nodes {
        ...Webhook
      }
    }
  }
`);
export const DeliveryFragment = graphql(`
  fragment Delivery on WebhookDelivery {
    id
    messageId
    type
    subject
    state
    attempts
    createdAt
    attemptedAt
    nextAttemptAt
    statusCode
    problem
  }
`);
export const Deliveries = graphql(`
  query Deliveries($id: ID!, $state: WebhookDeliveryState, $after: String) {
    node(id: $id) {
      ... on Webhook {
        deliveries(state: $state, first: 25, after: $after) {
          nodes {
            ...Delivery
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
export const MakeWebhook = graphql(`
  mutation MakeWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) {
      secret
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const ChangeWebhook = graphql(`
  mutation ChangeWebhook($input: UpdateWebhookInput!) {
    updateWebhook(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const RotateWebhook = graphql(`
  mutation RotateWebhook($id: ID!) {
    rotateWebhookSecret(input: { id: $id }) {
      secret
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const DeleteWebhook = graphql(`
  mutation DeleteWebhook($id: ID!) {
    deleteWebhook(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const TestWebhook = graphql(`
  mutation TestWebhook($id: ID!) {
    testWebhook(input: { id: $id }) {
      delivery {
        ...Delivery
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const RetryDelivery = graphql(`
  mutation RetryDelivery($id: ID!) {
    retryDelivery(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const Tokens = graphql(`
  query Tokens($after: String) {
    apiTokens(first: 100, after: $after) {
      nodes {
        id
        name
        prefix
        scopes
        createdAt
        expiresAt
        lastUsedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const MakeToken = graphql(`
  mutation MakeToken($input: CreateApiTokenInput!) {
    createApiToken(input: $input) {
      secret
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const RevokeToken = graphql(`
  mutation RevokeToken($id: ID!) {
    revokeApiToken(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const Events = graphql(`
  query Events($first: Int!, $after: String, $filter: AuditEventFilter) {
    auditEvents(first: $first, after: $after, filter: $filter) {
      nodes {
        id
        createdAt
        actorName
        action
        target
        before
        after
        ipAddress
        requestId
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const Metrics = graphql(`
  query Metrics($after: String) {
    serverMetrics(after: $after) {
      server {
        instanceId
        name
        startedAt
      }
      intervalSeconds
      cursor
      samples {
        endedAt
        seconds
        requests
        imageMilliseconds
        cacheHits
        cacheMisses
        queued
        running
        maxRunning
        workers
        memoryBytes
        workerMemoryBytes
        stages {
          stage
          seconds
        }
      }
    }
  }
`);

export const Signing = graphql(`
  query Signing {
    processorStatus {
      configured
      lastUpdated
      isOverriddenByConfig
      config {
        hasSecret
        signerType
        signerTruncate
        previousExpiresAt
      }
    }
  }
`);
export const ConfigureSigning = graphql(`
  mutation ConfigureSigning($input: ProcessorInput!) {
    configureProcessor(input: $input) {
      message
    }
  }
`);
export const TryUrl = graphql(`
  query TryUrl($url: String!) {
    parseProcessorUrl(url: $url) {
      path
      image
      unsafe
      hash
      validSignature
      explain
      warnings
    }
  }
`);

export const Storage = graphql(`
  query Storage {
    storageStatus {
      kind
      location
      reachable
      isOverriddenByConfig
      updatedAt
      switchPending
      problem
    }
  }
`);
export const TestStorage = graphql(`
  mutation TestStorage($input: StorageInput!) {
    testStorage(input: $input) {
      test {
        ok
        message
        storageCode
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const ConfigureStorage = graphql(`
  mutation ConfigureStorage($input: StorageInput!) {
    configureStorage(input: $input) {
      storage {
        switchPending
        problem
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const TierFragment = graphql(`
  fragment Tier on CacheTier {
    entries
    bytes
    maxBytes
    hits
    evicted
    corrupt
    failed
    paused
  }
`);
export const Cache = graphql(`
  query Cache {
    cacheStatus {
      enabled
      misses
      stored
      dropped
      queued
      memory {
        ...Tier
      }
      files {
        ...Tier
      }
      s3 {
        ...Tier
      }
    }
  }
`);
export const Purge = graphql(`
  mutation Purge($input: PurgeCacheInput!) {
    purgeCache(input: $input) {
      purged {
        memory
        files
        s3
        bytes
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const Index = graphql(`
  query Index {
    indexStatus {
      ...IndexState
    }
  }
`);
export const Rescan = graphql(`
  mutation Rescan($input: RescanInput!) {
    rescan(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const SettingFragment = graphql(`
  fragment Setting on Setting {
    name
    value
    default
    secret
    origin
    source
    environment
    group
    description
  }
`);
export const Settings = graphql(`
  query Settings {
    settings {
      ...Setting
    }
  }
`);

export const SettingValues = graphql(`
  query SettingValues {
    settings {
      name
      value
    }
  }
`);

export const Diagnosis = graphql(`
  query Diagnosis {
    diagnosis {
      check
      ok
      warning
      message
    }
  }
`);

export const FamilyKeys = graphql(`
  query FamilyKeys($after: String) {
    familyKeys(first: 100, after: $after) {
      nodes {
        id
        name
        signerType
        signerTruncate
        createdAt
        revokedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const MakeFamilyKey = graphql(`
  mutation MakeFamilyKey($input: CreateFamilyKeyInput!) {
    createFamilyKey(input: $input) {
      secret
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const RevokeFamilyKey = graphql(`
  mutation RevokeFamilyKey($name: String!) {
    revokeFamilyKey(input: { name: $name }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const PresetParts = graphql(`
  fragment PresetParts on PresetParameter {
    name
    default
    values
    min
    max
  }
`);
export const Presets = graphql(`
  query Presets($after: String) {
    presets(first: 100, after: $after) {
      nodes {
        name
        version
        operations
        source
        updatedAt
        parameters {
          ...PresetParts
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const PresetVersions = graphql(`
  query PresetVersions($name: String!) {
    preset(name: $name) {
      versions {
        number
        operations
        createdAt
        createdBy
        parameters {
          ...PresetParts
        }
      }
    }
  }
`);
export const SavePreset = graphql(`
  mutation SavePreset($input: SavePresetInput!) {
    savePreset(input: $input) {
      preset {
        version
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const DeletePreset = graphql(`
  mutation DeletePreset($name: String!) {
    deletePreset(input: { name: $name }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);
graphql(`
  fragment Font on Font {
    ...Face
    format
    sizeBytes
    addedAt
    addedBy
  }
`);
export const AdminFonts = graphql(`
  query AdminFonts($after: String) {
    fonts(after: $after) {
      nodes {
        ...Font
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const AddFont = graphql(`
  mutation AddFont($content: Upload!) {
    addFont(input: { content: $content }) {
      font {
        ...Font
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const DeleteFont = graphql(`
  mutation DeleteFont($id: ID!) {
    deleteFont(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const MailFragment = graphql(`
  fragment Mail on MailMessage {
    id
    kind
    recipient
    state
    attempts
    createdAt
    attemptedAt
    problem
    answer
  }
`);
export const MailMessages = graphql(`
  query MailMessages($state: MailState, $after: String) {
    mailMessages(state: $state, first: 50, after: $after) {
      nodes {
        ...Mail
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const SendTestMail = graphql(`
  mutation SendTestMail($input: SendTestMailInput!) {
    sendTestMail(input: $input) {
      problem
      answer
      userErrors {
        ...Refusal
      }
    }
  }
`);
export const RetryMail = graphql(`
  mutation RetryMail($id: ID!) {
    retryMail(input: { id: $id }) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

// Links of Apollo Client 4 for a Safelight server: tokens, uploads of Blobs as variables, subscriptions by server-sent events.
import { ApolloLink, CombinedGraphQLErrors, Observable, ServerError } from '@apollo/client/core'
import { SetContextLink } from '@apollo/client/link/context'
import { ErrorLink } from '@apollo/client/link/error'
import UploadHttpLink from 'apollo-upload-client/UploadHttpLink.mjs'
import { print } from 'graphql'
import { createClient } from 'graphql-sse'

/** The link of an ApolloClient. `session` has `token()` and `refused(token)`, see session.mjs. */
export function safelightLink(server, session) {
  const uri = `${server}/api/graphql`
  const http = ApolloLink.from([retryRefused(session), authorize(session), new UploadHttpLink({ uri })])
  return ApolloLink.split(({ operationType }) => operationType === 'subscription', new SseLink(uri, session), http)
}

/** Sends the token with each operation. */
const authorize = (session) =>
  new SetContextLink(async ({ headers }) => {
    const token = await session.token()
    return { token, headers: token ? { ...headers, Authorization: `Bearer ${token}` } : headers }
  })

/** Repeats an operation whose token was refused, if it was replaced while the operation was on its way. */
const retryRefused = (session) =>
  new ErrorLink(({ error, operation, forward }) => {
    if (isUnauthenticated(error) && session.refused(operation.getContext().token)) return forward(operation)
  })

const isUnauthenticated = (error) =>
  ServerError.is(error) ? error.statusCode === 401 : CombinedGraphQLErrors.is(error) && hasCode(error.errors, 'UNAUTHENTICATED')

const hasCode = (errors, code) => Boolean(errors?.some(({ extensions }) => extensions?.code === code))

/** The pause before the next connection in milliseconds: it doubles up to half a minute, and no two clients come back at once. */
const pauseAfter = (failures) => Math.min(30_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2)

/**
 * Follows subscriptions until they are unsubscribed. It connects again when the connection breaks, and when the server ends the stream: at
 * a restart, after 24 hours, and when the token of the stream expires. After each connection the server sends its first event again.
 */
export class SseLink extends ApolloLink {
  constructor(url, session) {
    super((operation) => new Observable((observer) => {
      const stop = new AbortController()
      const request = { query: print(operation.query), variables: operation.variables, operationName: operation.operationName }
      follow(url, session, request, observer, stop.signal).catch((error) => stop.signal.aborted || observer.error(error))
      return () => stop.abort()
    }))
  }
}

async function follow(url, session, request, observer, signal) {
  for (let failures = 0; ; failures++) {
    const token = await session.token()
    if (signal.aborted) return
    const { error, results } = await connect(url, token, request, observer, signal)
    if (signal.aborted) return
    if (results > 0) failures = 0
    if (error === 'UNAUTHENTICATED') {
      if (!session.refused(token)) throw new Error('the session has ended')
    } else if (error) {
      throw error
    }
    await pause(pauseAfter(failures), signal)
  }
}

/** Passes on the results of one connection. An error is one that another connection would not help against, or `UNAUTHENTICATED`. */
function connect(url, token, request, observer, signal) {
  // graphql-sse would repeat a 401, with the same token
  const client = createClient({ url, headers: token ? { Authorization: `Bearer ${token}` } : {}, retryAttempts: 0 })
  return new Promise((resolve) => {
    let results = 0
    const end = (error) => resolve({ error, results })
    const stop = client.subscribe(request, {
      next: (result) => {
        if (hasCode(result.errors, 'UNAUTHENTICATED')) {
          stop()
          return end('UNAUTHENTICATED')
        }
        results++
        observer.next(result)
      },
      error: (error) => end(lasting(error)),
      complete: () => end(),
    })
    signal.addEventListener('abort', () => (stop(), end()), { once: true })
  })
}

/** Undefined for what passes: a broken connection, 429 and what says that the server is busy. */
function lasting(error) {
  const status = error?.response?.status
  if (status === 401) return 'UNAUTHENTICATED'
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? error : undefined
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}

import { graphql, type RefusalFragment } from "./graphql";
import type { TypedDocumentString } from "./gen/graphql";
import { said } from "../messages/index.svelte";
import { confirming } from "../session/confirming.svelte";
import { session } from "../session/session.svelte";
import { pause } from "./pause";
import {
  ApiError,
  errorOf,
  send,
  type Answer,
  type ErrorBody,
  type RequestOptions,
} from "./transport";

export { ApiError, appOptions, type AppOptions } from "./transport";

/** A user error in a payload. */
export const Refusal = graphql(`
  fragment Refusal on UserError {
    code
    message
    field
    retryAfter
  }
`);

/** The message of an error. */
export const messageOf = (error: unknown): string =>
  said("storage", error instanceof Error ? error.message : String(error));

/**
 * The maximum number of attempts if the server asks for a repetition, and the longest delay for
 * that, in seconds.
 */
const [tries, longestWait] = [3, 5];

/**
 * Sends a GraphQL request, and repeats it if the server is busy and says when to retry. Throws
 * ApiError, also for a refused mutation, or an AbortError when the signal aborts (the server then
 * stops working) or when the person has logged out meanwhile.
 */
export async function request<R, V extends Record<string, unknown>>(
  document: TypedDocumentString<R, V>,
  variables: V,
  options: RequestOptions = {},
): Promise<R> {
  const body = JSON.stringify({ query: String(document), variables });
  const { turn } = session;
  for (let n = 1; ; n++) {
    const { data, error } = await ask<R>(body, options);
    if (turn !== session.turn)
      throw new DOMException("The person who asked has left.", "AbortError");
    if (await mayRepeat(error, options.signal)) continue;
    if (!error) return data as R;
    const seconds = (error as Partial<ApiError>).retryAfter;
    if (!seconds || seconds > longestWait || n === tries) throw error;
    await pause(seconds * 1000, options.signal);
  }
}

/**
 * Whether the server asked for a confirmation of the person's identity, and got it. Throws if the
 * person cancels.
 */
async function mayRepeat(
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!(error instanceof ApiError) || error.code !== "STEP_UP_REQUIRED")
    return false;
  const confirmed = await confirming.ask();
  signal?.throwIfAborted();
  if (!confirmed)
    throw new DOMException("The person did not confirm.", "AbortError");
  return true;
}

/**
 * Runs an action that may need a confirmed second factor, and runs it again once the person has
 * confirmed it.
 */
export async function confirmed<R>(action: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(await mayRepeat(error, undefined))) throw error;
    }
  }
}

async function ask<R>(
  body: string,
  options: RequestOptions,
): Promise<{ data?: R | null; error?: unknown }> {
  const { token } = session;
  try {
    const { data, errors } = (await send("/api/graphql", body, {
      ...options,
      token,
    })) as Answer<R>;
    const [first] = errors ?? [];
    if (!first) return { data, error: refusal(data) };
    const { code = "INTERNAL", field, retryAfter } = first.extensions ?? {};
    return { error: new ApiError(code, first.message, field, retryAfter) };
  } catch (error) {
    return { error: noticed(error, token) };
  }
}

/** The first user error in the payloads of mutations. */
export function refusal(data: unknown): ApiError | undefined {
  for (const payload of Object.values(data ?? {})) {
    const [first] =
      (payload as { userErrors?: RefusalFragment[] } | null)?.userErrors ?? [];
    if (!first) continue;
    const { code, message, field, retryAfter } = first;
    return new ApiError(code, message, field, retryAfter ?? undefined);
  }
  return undefined;
}

/** The error for a response that is not OK. A token that the server rejects is removed from the browser. */
export const failure = (response: Response, answer: ErrorBody, token: string) =>
  noticed(errorOf(response, answer), token);

function noticed<E>(error: E, token: string): E {
  const refused = error instanceof ApiError && error.code === "UNAUTHENTICATED";
  if (refused && token) session.refused(token);
  return error;
}

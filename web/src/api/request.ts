import type { TypedDocumentString } from "./gen/graphql";
import { t } from "../messages/index.svelte";
import { session } from "../session/session.svelte";
import { pause } from "./pause";
import { positions } from "./position";

/** What the server refused, by the code of its API: `NOT_FOUND`, `CONFLICT`, `UNAUTHENTICATED`, ... `OFFLINE`: no answer at all. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** The argument at fault, when one is. */
    readonly field?: string | null,
    /** Seconds after which to try again, when the server says so. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** A refusal inside a payload. */
export type UserError = {
  code: string;
  message: string;
  field?: string | null;
  retryAfter?: number | null;
};

/** Throws the first of a payload's user errors, when there is one. */
export function refuse(errors: readonly UserError[]): void {
  const [first] = errors;
  if (first)
    throw new ApiError(
      first.code,
      first.message,
      first.field,
      first.retryAfter ?? undefined,
    );
}

/** What an error says. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

type Answer<R> = {
  data?: R | null;
  errors?: {
    message: string;
    extensions?: { code?: string; field?: string; retryAfter?: number };
  }[];
};

type Refusal = Answer<unknown> & {
  error?: string;
  message?: string;
  field?: string;
};

type RequestOptions = { signal?: AbortSignal };

/** How often a call is made if the server asks to repeat it, and the longest wait for that, in seconds. */
const [tries, longestWait] = [3, 5];

/**
 * Asks GraphQL, again when the server is busy and says when. Throws ApiError, or an AbortError when the signal says stop, and the server
 * stops working too, or when the person who asked has left meanwhile.
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
    const seconds = error
      ? (error as Partial<ApiError>).retryAfter
      : busy(data);
    if (seconds && seconds <= longestWait && n < tries)
      await pause(seconds * 1000, options.signal);
    else if (error) throw error;
    else return data as R;
  }
}

async function ask<R>(
  body: string,
  options: RequestOptions,
): Promise<{ data?: R | null; error?: unknown }> {
  try {
    const { data, errors } = (await send(
      "/api/graphql",
      body,
      options,
    )) as Answer<R>;
    const [first] = errors ?? [];
    const { code = "INTERNAL", field, retryAfter } = first?.extensions ?? {};
    return {
      data,
      error: first && new ApiError(code, first.message, field, retryAfter),
    };
  } catch (error) {
    return { error };
  }
}

/** Seconds to wait, when the payload of a mutation says that nothing was done because something is busy. */
function busy(data: unknown): number | undefined {
  for (const payload of Object.values(data ?? {})) {
    const seconds = (payload as { userErrors?: UserError[] } | null)
      ?.userErrors?.[0]?.retryAfter;
    if (seconds) return seconds;
  }
  return undefined;
}

/** Asks a REST route with a JSON body, by default without a token. */
export async function post<R>(
  path: string,
  body: unknown,
  options: RequestOptions & { token?: string } = {},
): Promise<R> {
  return (await send(path, JSON.stringify(body), {
    ...options,
    token: options.token ?? "",
  })) as R;
}

async function send(
  path: string,
  body: string | undefined,
  options: RequestOptions & { token?: string },
): Promise<unknown> {
  const token = options.token ?? session.token;
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const answered = positions.sent();
  let response: Response;
  try {
    response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body,
      signal: options.signal,
      credentials: "omit",
      cache: "no-store",
    });
  } catch (error) {
    answered(null);
    if (options.signal?.aborted) throw error;
    throw new ApiError("OFFLINE", t("error.offline"));
  }
  answered(response.headers.get("Safelight-Changes"));
  if (response.status === 204) return undefined;
  const answer: unknown = await response.json().catch((error: unknown) => {
    if (options.signal?.aborted) throw error; // stopped in the middle of the answer, which is not an empty one
    if (response.ok) throw new ApiError("OFFLINE", t("error.offline"));
    return {};
  });
  if (response.ok) return answer;
  throw failure(response, answer as Refusal, token);
}

/** What a proxy answers with in place of a server that is away; the server itself names a code beside it. */
const gateways = [502, 503, 504];

/** The error that a refusal of the server is. A token that it refuses is forgotten. */
export function failure(
  response: Response,
  answer: Refusal,
  token: string,
): ApiError {
  const [inside] = answer.errors ?? [];
  const code = answer.error ?? inside?.extensions?.code ?? "INTERNAL";
  if (gateways.includes(response.status) && !answer.error && !inside)
    return new ApiError("OFFLINE", t("error.offline"));
  if (code === "UNAUTHENTICATED" && token) session.refused(token);
  const retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  return new ApiError(
    code,
    answer.message ?? inside?.message ?? response.statusText,
    answer.field ?? inside?.extensions?.field,
    retryAfter,
  );
}

/** What the server offers before somebody logs in. */
export type AppOptions = {
  guest: boolean;
  setup: boolean;
  version: string;
  embedders: string[];
};

/** Asks what is to be known before a login. */
export async function appOptions(): Promise<AppOptions> {
  return (await send("/api/auth/options", undefined, {
    token: "",
  })) as AppOptions;
}

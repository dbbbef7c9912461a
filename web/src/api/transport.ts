import { t } from "../messages/index.svelte";
import { positions } from "./position";

/**
 * An error of the API with its code: `NOT_FOUND`, `CONFLICT`, `UNAUTHENTICATED`, ... `OFFLINE`
 * means that there was no answer.
 */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** The invalid argument, if the server names one. */
    readonly field?: string | null,
    /** Seconds after which to retry, if the server says so. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** The JSON of a GraphQL response. */
export type Answer<R> = {
  data?: R | null;
  errors?: {
    message: string;
    extensions?: { code?: string; field?: string; retryAfter?: number };
  }[];
};

/** The JSON of an error response, from a REST route or from GraphQL. */
export type ErrorBody = Answer<unknown> & {
  error?: string;
  message?: string;
  field?: string;
};

/** Whether an error says only that something was stopped: by a signal, or by the person. */
export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === "AbortError";

export type RequestOptions = { signal?: AbortSignal };

/** Posts a JSON body to a REST route, by default without a token. */
export async function post<R>(
  path: string,
  body: unknown,
  options: RequestOptions & { token?: string; cookies?: boolean } = {},
): Promise<R> {
  return (await send(path, JSON.stringify(body), {
    ...options,
    token: options.token ?? "",
  })) as R;
}

/**
 * Sends a request: POST with a body, GET without one. An empty token is not sent. Throws ApiError,
 * or an AbortError when the signal aborts.
 */
export async function send(
  path: string,
  body: string | undefined,
  options: RequestOptions & { token: string; cookies?: boolean },
): Promise<unknown> {
  const { token } = options;
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
      credentials: options.cookies ? "same-origin" : "omit",
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
    if (options.signal?.aborted) throw error; // aborted during the response, which must not count as an empty one
    if (response.ok) throw new ApiError("OFFLINE", t("error.offline"));
    return {};
  });
  if (response.ok) return answer;
  throw errorOf(response, answer as ErrorBody);
}

/**
 * The statuses with which a proxy reports an unreachable server. The server's own responses with
 * these statuses include a code.
 */
const gateways = [502, 503, 504];

/** The error for a response that is not OK. */
export function errorOf(response: Response, answer: ErrorBody): ApiError {
  const [inside] = answer.errors ?? [];
  const code = answer.error ?? inside?.extensions?.code ?? "INTERNAL";
  if (gateways.includes(response.status) && !answer.error && !inside)
    return new ApiError("OFFLINE", t("error.offline"));
  const retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  return new ApiError(
    code,
    answer.message ?? inside?.message ?? response.statusText,
    answer.field ?? inside?.extensions?.field,
    retryAfter,
  );
}

/** The options that the server publishes before a login. */
export type AppOptions = {
  guest: boolean;
  setup: boolean;
  version: string;
  embedders: string[];
  docs: boolean;
  passwords: boolean;
  providers: { id: string; name: string }[];
  /** The host for which the server accepts passkeys; empty if it accepts none. */
  passkeys: string;
  /** Whether the server sends e-mail. */
  mail: boolean;
};

/** Requests what a page needs before a login. */
export async function appOptions(): Promise<AppOptions> {
  return (await send("/api/auth/options", undefined, {
    token: "",
  })) as AppOptions;
}

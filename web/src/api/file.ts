import type { TypedDocumentString } from "./gen/graphql";
import { t } from "../messages/index.svelte";
import { session } from "../session/session.svelte";
import { ApiError, failure, refusal } from "./request";
import type { Answer, ErrorBody } from "./transport";

/**
 * Sends a GraphQL request whose variable of that name is a file. Throws ApiError as `request` does,
 * or an AbortError when the signal aborts.
 */
export async function requestWithFile<R, V extends Record<string, unknown>>(
  document: TypedDocumentString<R, V>,
  variable: string,
  file: File,
  signal?: AbortSignal,
): Promise<R> {
  const { token } = session;
  const form = new FormData(); // https://github.com/jaydenseric/graphql-multipart-request-spec
  const variables = { [variable]: null };
  form.set(
    "operations",
    JSON.stringify({ query: String(document), variables }),
  );
  form.set("map", JSON.stringify({ 0: [`variables.${variable}`] }));
  form.set("0", file);
  let response: Response;
  try {
    response = await fetch("/api/graphql", {
      method: "POST",
      headers: {
        Accept: "application/json",
        Authorization: `Bearer ${token}`,
      },
      body: form,
      credentials: "omit",
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("OFFLINE", t("error.offline"));
  }
  const answer = (await response.json().catch(() => ({}))) as Answer<R>;
  if (!response.ok || answer.errors?.length || !answer.data)
    throw failure(response, answer as ErrorBody, token);
  const refused = refusal(answer.data);
  if (refused) throw refused;
  return answer.data;
}

import { ApiError, failure } from "../api/request";
import { t } from "../messages/index.svelte";
import { session } from "../session/session.svelte";

/** What the server says about a path without loading the picture. */
export type Explained = { explain: string[]; warnings: string[] };

/** A rendered result. Throws ApiError; an AbortError when the signal says stop, and the server then stops working. */
export async function render(
  path: string,
  signal?: AbortSignal,
): Promise<Blob> {
  return (await ask(`/unsafe/${path}`, signal)).blob();
}

/** The size of a result and its format, which the server knows from the headers alone in most cases. */
export async function measure(
  path: string,
  signal: AbortSignal,
): Promise<{ width: number; height: number; format: string }> {
  return (await ask(`/unsafe/meta/${path}`, signal)).json() as Promise<{
    width: number;
    height: number;
    format: string;
  }>;
}

/** What a path does, in words, and what is wrong with it. */
export async function explain(
  path: string,
  signal: AbortSignal,
): Promise<Explained> {
  const answer = (await (
    await ask(`/params/unsafe/${path}`, signal)
  ).json()) as Partial<Explained>;
  return { explain: answer.explain ?? [], warnings: answer.warnings ?? [] };
}

/** The bytes of an uploaded font. */
export async function fontFile(id: string): Promise<ArrayBuffer> {
  return (await ask(`/api/fonts/${id}`)).arrayBuffer();
}

async function ask(address: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  const { token } = session;
  try {
    response = await fetch(address, {
      headers: { Authorization: `Bearer ${token}` },
      signal,
      credentials: "omit",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("OFFLINE", t("error.offline"));
  }
  if (response.ok) return response;
  throw failure(
    response,
    (await response.json().catch(() => ({}))) as object,
    token,
  );
}

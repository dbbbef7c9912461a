import { ApiError, failure } from "../api/request";
import { t } from "../messages/index.svelte";
import { session } from "../session/session.svelte";

/** The server's explanation of a path, without rendering the picture. */
export type Explained = { explain: string[]; warnings: string[] };

/** Renders a path. Throws ApiError, or an AbortError when `signal` aborts; the server then stops working. */
export async function render(
  path: string,
  signal?: AbortSignal,
): Promise<Blob> {
  return (await ask(`/unsafe/${path}`, signal)).blob();
}

/** The size and format of a result, which the server mostly determines from the file headers alone. */
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

/** Explains a path in words, with warnings about what is wrong with it. */
export async function explain(
  path: string,
  signal: AbortSignal,
): Promise<Explained> {
  const answer = (await (
    await ask(`/params/unsafe/${path}`, signal)
  ).json()) as Partial<Explained>;
  return { explain: answer.explain ?? [], warnings: answer.warnings ?? [] };
}

/** Downloads an uploaded font. */
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

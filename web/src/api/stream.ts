import type { TypedDocumentString } from "./gen/graphql";
import { session } from "../session/session.svelte";
import { ApiError, failure } from "./request";

/** One event of a stream: its name and its lines of data as one text. */
export type StreamEvent = { name: string; data: string };

/** Takes the complete events off the front of a text; `rest` is the beginning of one that has not ended. Comments are left out. */
export function takeEvents(text: string): {
  events: StreamEvent[];
  rest: string;
} {
  const parts = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = parts.pop() ?? "";
  const events = parts.map((part) => {
    const lines = part.split("\n");
    const field = (name: string) =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
    return {
      name: field("event").at(-1) ?? "",
      data: field("data").join("\n"),
    };
  });
  return { events: events.filter((event) => event.name), rest };
}

/** Follows a subscription until the server ends it or the signal says stop. Throws ApiError. */
export async function* follow<R, V extends Record<string, unknown>>(
  document: TypedDocumentString<R, V>,
  variables: V,
  signal: AbortSignal,
): AsyncGenerator<R> {
  const token = session.token;
  const headers = {
    Accept: "text/event-stream",
    "Content-Type": "application/json",
    Authorization: `Bearer ${token}`,
  };
  const response = await fetch("/api/graphql", {
    method: "POST",
    headers,
    body: JSON.stringify({ query: String(document), variables }),
    signal,
    credentials: "omit",
    cache: "no-store",
  });
  if (!response.ok || !response.body)
    throw failure(
      response,
      (await response.json().catch(() => ({}))) as object,
      token,
    );
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    const { events, rest } = takeEvents(text + value);
    text = rest;
    for (const { name, data } of events) {
      if (name === "complete") return;
      const answer = JSON.parse(data) as {
        data?: R | null;
        errors?: { message: string; extensions?: { code?: string } }[];
      };
      const [error] = answer.errors ?? [];
      if (error)
        throw new ApiError(error.extensions?.code ?? "INTERNAL", error.message);
      if (answer.data) yield answer.data;
    }
  }
}

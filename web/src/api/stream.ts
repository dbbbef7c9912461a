import type { TypedDocumentString } from "./gen/graphql";
import { session } from "../session/session.svelte";
import { ApiError, failure } from "./request";

/** A server-sent event: its name, and its data lines joined. */
export type StreamEvent = { name: string; data: string };

/** Splits complete events off the beginning of a text; `rest` is an incomplete event. Comments are dropped. */
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

/** Yields the events of a subscription until the server ends it or the signal aborts. Throws ApiError. */
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

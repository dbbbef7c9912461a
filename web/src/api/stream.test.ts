import { expect, test } from "vitest";
import { takeEvents } from "./stream";

test.each([
  ['event: next\ndata: {"a":1}\n\n', [{ name: "next", data: '{"a":1}' }], ""],
  [
    "event: next\ndata: 1\n\nevent: next\nda",
    [{ name: "next", data: "1" }],
    "event: next\nda",
  ],
  [":\n\nevent: complete\ndata:\n\n", [{ name: "complete", data: "" }], ""],
  [
    "event: next\r\ndata: a\r\ndata: b\r\n\r\n",
    [{ name: "next", data: "a\nb" }],
    "",
  ],
  ["", [], ""],
])("events in %j", (text, events, rest) => {
  expect(takeEvents(text)).toEqual({ events, rest });
});

test("an event that arrives in pieces is one event", () => {
  const text = 'event: next\ndata: {"path":"a/b.jpg"}\n\n';
  for (let at = 0; at <= text.length; at++) {
    const first = takeEvents(text.slice(0, at));
    const second = takeEvents(first.rest + text.slice(at));
    expect([...first.events, ...second.events]).toEqual([
      { name: "next", data: '{"path":"a/b.jpg"}' },
    ]);
  }
});

import { expect, test, vi } from "vitest";
import type { WebhookFragment } from "../api/graphql";
import { hookState } from "./hooks";

vi.mock("../messages/index.svelte", () => ({
  t: (key: string, values: object = {}) =>
    [key.replace("admin.hooks.", ""), ...Object.values(values)].join(" "),
}));

const now = Date.parse("2026-11-29T12:00:00Z");
const count = (totalCount: number) => ({ totalCount });

test.each<[string, Partial<WebhookFragment>, string]>([
  ["a new one", {}, "nothing"],
  [
    "an old one whose deliveries were deleted",
    { createdAt: "2026-10-01T00:00:00Z" },
    "quiet 7",
  ],
  ["one that works", { delivered: count(3) }, "fine"],
  [
    "one whose receiver is down",
    { delivered: count(3), waiting: count(2), failed: count(1) },
    "waiting 2 · failed 1",
  ],
  ["one that is off", { isActive: false, failed: count(1) }, "off"],
  ["one that the receiver ended", { isGone: true, isActive: false }, "gone"],
])("%s", (_, facts, text) => {
  const hook: WebhookFragment = {
    id: "1",
    name: "Shop",
    url: "https://example.com",
    events: [],
    folder: "",
    isActive: true,
    isGone: false,
    createdAt: "2026-11-29T11:00:00Z",
    waiting: count(0),
    failed: count(0),
    delivered: count(0),
    ...facts,
  };
  expect(hookState(hook, now)).toBe(text);
});

import { expect, test } from "vitest";
import { refreshAt } from "./refresh";

test.each([
  ["a week", 0, 7 * 86_400_000, 7 * 86_400_000 * 0.6],
  ["two minutes", 0, 120_000, 60_000],
  ["one minute", 0, 60_000, 0],
])(
  "a token of %s is refreshed before its end",
  (_, issuedAt, expiresAt, at) => {
    expect(refreshAt({ issuedAt, expiresAt })).toBe(at);
  },
);

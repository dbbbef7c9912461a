import { expect, test } from "vitest";
import type { LinkFragment } from "../api/graphql";
import { changesOf, choicesOf, type Choices } from "./choices";

const link = {
  name: "Winter",
  expiresAt: "2030-01-31T12:30:00Z",
  hasPassword: true,
  downloads: "RENDITIONS",
  watermark: "logo",
  uploadQuotaBytes: 500_000_001,
  allowFeedback: true,
} as LinkFragment;

test("untouched fields are not sent, even below the precision of the form", () => {
  expect(changesOf(link, choicesOf(link))).toEqual({});
});

test.each<{ change: Partial<Choices>; sent: object }>([
  { change: { name: " Spring " }, sent: { name: "Spring" } },
  { change: { ends: "never" }, sent: { expiresAt: null } },
  {
    change: { date: "2030-02-01" },
    sent: { expiresAt: new Date("2030-02-01T23:59:59").toISOString() },
  },
  { change: { keeps: "none" }, sent: { password: null } },
  {
    change: { keeps: "other", password: "granite-salt-38-lamp" },
    sent: { password: "granite-salt-38-lamp" },
  },
  { change: { keeps: "other", password: "" }, sent: {} },
  { change: { downloads: "NONE" }, sent: { downloads: "NONE" } },
  { change: { watermark: "" }, sent: { watermark: null } },
  { change: { uploads: false }, sent: { uploadQuotaBytes: 0 } },
  { change: { gigabytes: "2" }, sent: { uploadQuotaBytes: 2_000_000_000 } },
  { change: { feedback: false }, sent: { allowFeedback: false } },
])("$change sends $sent", ({ change, sent }) => {
  expect(changesOf(link, { ...choicesOf(link), ...change })).toEqual(sent);
});

test("an empty password on a link without one changes nothing", () => {
  const open = { ...link, hasPassword: false };
  expect(changesOf(open, choicesOf(open))).toEqual({});
});

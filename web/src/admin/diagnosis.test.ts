import { expect, test } from "vitest";
import english from "../messages/en.json";
import { adviceOf, nameOf, settingsOf } from "./diagnosis";

test.each([
  [
    "storage",
    "admin.finding.storage",
    "admin.advice.storage",
    "/admin/settings?q=storage",
  ],
  ["engine", "admin.finding.engine", "admin.advice.other", undefined],
  ["of a newer server", null, "admin.advice.other", undefined],
  ["constructor", null, "admin.advice.other", undefined],
])("the check %s", (check, name, advice, settings) => {
  expect(nameOf(check)).toBe(name);
  expect(adviceOf(check)).toBe(advice);
  expect(settingsOf(check)).toBe(settings);
});

test("every check has a name in the catalogue, and so has every piece of advice", () => {
  for (const key of Object.keys(english)) {
    const [, kind, check] = /^admin\.(finding|advice)\.(.+)$/.exec(key) ?? [];
    if (kind === "finding") expect(nameOf(check!)).toBe(key);
    if (kind === "advice") expect(adviceOf(check!)).toBe(key);
  }
});

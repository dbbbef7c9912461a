import { expect, test } from "vitest";
import type { SettingFragment } from "../api/graphql";
import { findSettings } from "./settings";

const setting = (
  name: string,
  more: Partial<SettingFragment> = {},
): SettingFragment => ({
  name,
  value: "",
  default: "",
  secret: false,
  origin: "DEFAULT",
  source: "default",
  environment: `SAFELIGHT_${name.toUpperCase().replaceAll("-", "_")}`,
  group: "Server",
  description: "",
  ...more,
});
const all = [
  setting("listen", {
    value: "0.0.0.0:80",
    origin: "FLAG",
    source: "flag --listen",
    description: "Address to listen on.",
  }),
  setting("guest", {
    group: "Accounts",
    value: "false",
    description: "Allow guest logins.",
  }),
  setting("admin-password", {
    group: "Accounts",
    value: "********",
    secret: true,
    origin: "ENVIRONMENT",
    source: "environment SAFELIGHT_ADMIN_PASSWORD",
  }),
];

test.each([
  [
    "",
    false,
    [
      ["Server", ["listen"]],
      ["Accounts", ["guest", "admin-password"]],
    ],
  ],
  [
    "",
    true,
    [
      ["Server", ["listen"]],
      ["Accounts", ["admin-password"]],
    ],
  ],
  ["ADDRESS listen", false, [["Server", ["listen"]]]],
  ["safelight_guest", false, [["Accounts", ["guest"]]]],
  ["0.0.0.0", false, [["Server", ["listen"]]]],
  ["***", false, []],
  ["guest", true, []],
])("%j, only changed: %s", (text, changed, found) => {
  expect(
    findSettings(all, text, changed).map(({ name, settings }) => [
      name,
      settings.map((one) => one.name),
    ]),
  ).toEqual(found);
});

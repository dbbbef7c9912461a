import { expect, test } from "vitest";
import { escapePath, match, ownAddress } from "./path";

test.each([
  ["/", "/", {}],
  ["/", "/x", null],
  ["/login", "/login/", {}],
  ["/f/*folder", "/f/2026/Norway", { folder: "2026/Norway" }],
  ["/f/*folder", "/f/a%2Fb/%E6%97%A5", { folder: "a/b/日" }],
  ["/f/*folder", "/f/100%", { folder: "100%" }],
  ["/admin/:page", "/admin/tokens", { page: "tokens" }],
  ["/admin/:page", "/admin", null],
  ["/admin/:page", "/admin/tokens/x", null],
])("%s and %s", (pattern, path, params) => {
  expect(match(pattern, path)).toEqual(params);
});

test("a storage path survives escaping in the URL", () => {
  const path = "Größe & so/100 %/日本?#.jpg";
  expect(match("/i/*file", `/i/${escapePath(path)}`)).toEqual({ file: path });
});

test("after a login, links to other sites are replaced", () => {
  for (const own of ["/", "/f/2026/Norway?sort=NAME", "/docs/guides", "/a//b"])
    expect(ownAddress(own)).toBe(own);
  for (const other of [
    ...[
      "//evil.example",
      "/\\evil.example",
      "/\t/evil.example",
      "/\n/evil.example",
    ],
    ...[
      "https://evil.example",
      "javascript:alert(1)",
      "evil.example",
      "",
      null,
    ],
  ])
    expect(ownAddress(other)).toBe("/");
});

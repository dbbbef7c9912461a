import { expect, test } from "vitest";
import { zipName } from "./zipName";

const day = new Date(2026, 2, 7);

test.each([
  ["Winter", "Winter 2026-03-07.zip"],
  ["tag:sea rating:>3", "tag sea rating 3 2026-03-07.zip"],
  ["../etc", ".. etc 2026-03-07.zip"],
  ["a".repeat(300), `${"a".repeat(80)} 2026-03-07.zip`],
  ["", "2026-03-07.zip"],
])("a ZIP of %s", (title, name) => expect(zipName(title, day)).toBe(name));

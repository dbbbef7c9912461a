import { expect, test } from "vitest";
import { outline } from "./lucide";

test("every shape becomes a part of one path", () => {
  expect(
    outline(
      '<svg><path d="m6 6 12 12" /><line x1="1" y1="2" x2="3" y2="4" /></svg>',
    ),
  ).toBe("M6 6l12 12M1 2L3 4");
  expect(outline('<path d="m21 21-4.3-4.3"/>')).toBe("M21 21l-4.3-4.3");
  expect(outline('<path d="m3 9h4"/>')).toBe("M3 9h4");
  expect(outline('<path d="M3 9h4"/>')).toBe("M3 9h4");
  expect(outline('<circle cx="12" cy="12" r="4"/>')).toBe(
    "M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  );
  expect(outline('<rect width="18" height="18" x="3" y="3"/>')).toBe(
    "M3 3h18v18h-18v-18z",
  );
  expect(
    outline('<rect width="10" height="10" x="0" y="0" rx="2"/>'),
  ).toContain("a2 2 0 0 1 2 2");
});

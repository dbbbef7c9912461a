import { expect, test } from "vitest";
import { ensureStorage, memory } from "./storage";

test("an inaccessible storage is replaced, a working one is not", () => {
  const own = memory();
  const where = {
    get localStorage(): Storage {
      throw new DOMException("refused", "SecurityError");
    },
    sessionStorage: own,
  };
  ensureStorage(where);
  where.localStorage.setItem("a", "1");
  expect(where.localStorage.getItem("a")).toBe("1");
  expect(where.localStorage.getItem("b")).toBeNull();
  expect([
    where.localStorage.length,
    where.localStorage.key(0),
    where.localStorage.key(1),
  ]).toEqual([1, "a", null]);
  where.localStorage.removeItem("a");
  expect(where.localStorage.getItem("a")).toBeNull();
  expect(where.sessionStorage).toBe(own);
});

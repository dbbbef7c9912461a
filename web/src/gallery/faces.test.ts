import { beforeEach, expect, test, vi } from "vitest";
import { faceOf } from "./faces";

const asked: string[][] = [];
let fails: string | false = false; // folder id whose requests fail; "OFFLINE": all, false: none
vi.mock("../api/request", () => ({
  request: async (_: unknown, { ids }: { ids: string[] }) => {
    asked.push(ids);
    if (fails && (fails === "OFFLINE" || ids.includes(fails)))
      throw Object.assign(new Error(fails), { code: fails });
    const picture = (thumb: string) => ({ format: "JPEG", thumb });
    return {
      foldersById: ids
        .filter((id) => id !== "gone")
        .map((id) => ({
          id,
          fileCount: 7,
          files: {
            nodes: [
              { format: null, thumb: null },
              ...["a", "b", "c", "d", "e"].map((name) => picture(id + name)),
            ],
          },
        })),
    };
  },
}));
beforeEach(() => {
  asked.length = 0;
  fails = false;
});

test("cards that load at the same time share one request", async () => {
  const faces = await Promise.all(
    ["1", "2", "gone", "1"].map((id) => faceOf(id, 80)),
  );
  expect(asked).toEqual([["1", "2", "gone"]]);
  expect(faces[1]).toEqual({ count: 7, thumbs: ["2a", "2b", "2c", "2d"] });
  expect(faces[3]).toEqual(faces[0]);
  expect(faces[2]).toBeNull();
});

test("a different picture size and very many folders need separate requests", async () => {
  const many = Array.from({ length: 30 }, (_, i) => faceOf(String(i), 80));
  await Promise.all([...many, faceOf("1", 320)]);
  expect(asked.map((ids) => ids.length)).toEqual([25, 5, 1]);
});

test("a failure reaches every card, and later cards retry", async () => {
  fails = "OFFLINE";
  const both = [faceOf("1", 80), faceOf("2", 80)];
  for (const one of both) await expect(one).rejects.toThrow("OFFLINE");
  expect(asked).toEqual([["1", "2"]]);
  fails = false;
  expect(await faceOf("1", 80)).not.toBeNull();
});

test("one failing folder does not affect the others", async () => {
  fails = "2";
  const [one, two, three] = ["1", "2", "3"].map((id) => faceOf(id, 80));
  await expect(two).rejects.toThrow();
  expect(await one).not.toBeNull();
  expect(await three).not.toBeNull();
  expect(asked).toEqual([["1", "2", "3"], ["1"], ["2"], ["3"]]);
});

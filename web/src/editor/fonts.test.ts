import { beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../api/request";
import { face, forgetFonts, serverFonts } from "./fonts.svelte";

const asked: string[] = [];
let fails: Error | null = null;
let damaged = false;
let lists = 0;
vi.mock("./server", () => ({
  fontFile: (id: string) => {
    asked.push(id);
    return fails ? Promise.reject(fails) : Promise.resolve(new ArrayBuffer(1));
  },
}));
vi.mock("../api/request", async (original) => ({
  ...(await original<typeof import("../api/request")>()),
  request: () => {
    lists++;
    const one = { id: "1", family: "One", style: "Regular", weight: 400 };
    return Promise.resolve({
      installedFonts: ["sans"],
      fonts: { nodes: [one] },
    });
  },
}));
beforeEach(() => {
  vi.useFakeTimers();
  asked.length = lists = 0;
  fails = null;
  damaged = false;
  vi.stubGlobal(
    "FontFace",
    class {
      load() {
        return damaged ? Promise.reject(new Error()) : Promise.resolve(this);
      }
    },
  );
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("document", { fonts: { add: () => undefined } });
});

test("a font that the browser rejects is requested once", async () => {
  damaged = true;
  expect(await face({ id: "damaged" })).toBe("");
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(await face({ id: "damaged" })).toBe("");
  expect(asked).toEqual(["damaged"]);
});

test("a font that failed to download is requested again, but not at once", async () => {
  fails = new ApiError("OFFLINE", "");
  expect(await face({ id: "late" })).toBe("");
  fails = null;
  expect(await face({ id: "late" })).toBe("");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await face({ id: "late" })).toBe("late");
  expect(asked).toEqual(["late", "late"]);
});

test("the list is requested once, and again after it is discarded", async () => {
  serverFonts();
  await vi.advanceTimersByTimeAsync(0);
  expect(serverFonts().uploaded).toHaveLength(1);
  expect(lists).toBe(1);
  forgetFonts();
  expect(serverFonts().uploaded).toEqual([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(serverFonts().uploaded).toHaveLength(1);
  expect(lists).toBe(2);
});

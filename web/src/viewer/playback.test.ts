import { expect, test, vi } from "vitest";
import { Playback } from "./playback.svelte";

test("the frames of an animation are requested from the page's origin, where they can be read", async () => {
  const asked: string[] = [];
  vi.stubGlobal("location", { origin: "http://127.0.0.1:8000" });
  vi.stubGlobal(
    "fetch",
    async (url: string) => (asked.push(url), new Response(new Uint8Array())),
  );
  const playback = new Playback();
  playback.shown("https://cdn.example/sig=/960x0/orbit.gif?v=1");
  expect(await playback.frame(24)).toBe(1);
  expect(asked).toEqual(["/sig=/960x0/orbit.gif?v=1"]);
  vi.unstubAllGlobals();
});

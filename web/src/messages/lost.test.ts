import { afterEach, expect, test, vi } from "vitest";
import { language, t } from "./index.svelte";

vi.mock("./server/de.json", () => {
  throw new Error("The connection is broken.");
});
afterEach(() => vi.unstubAllGlobals());

test("messages work without the texts of the server, and are loaded again after a failure", async () => {
  vi.stubGlobal("document", { documentElement: {} });
  await language.use("de");
  expect(t("editor.color")).toBe("editor.color");

  vi.stubGlobal("document", {}); // the language cannot be applied to it
  await expect(language.whole()).rejects.toThrow();
  vi.stubGlobal("document", { documentElement: {} });
  await language.whole();
  expect(t("editor.color")).toBe("Farbe");
  expect(language.phrases).toBe(null);
});

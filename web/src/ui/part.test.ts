import { expect, test, vi } from "vitest";
import { until } from "../testing/until";
import { part } from "./part";
import { toasts } from "./toasts.svelte";

test("a module that fails to load shows a message, and is loaded when the person retries", async () => {
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
  const load = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new TypeError("lost"))
    .mockResolvedValue("there");
  vi.useFakeTimers(); // only the person's click retries
  const loading = part(load);
  await until(() => expect(toasts.list).toHaveLength(1));
  expect(load).toHaveBeenCalledTimes(1);
  await toasts.act(toasts.list[0]!);
  expect(await loading).toBe("there");
  expect(toasts.list).toEqual([]);
});

import { expect, test, vi } from "vitest";
import { until } from "../testing/until";
import { part } from "./part";
import { toasts } from "./toasts.svelte";

test("a part that does not load says so, and is loaded when somebody tries again", async () => {
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
  const load = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new TypeError("lost"))
    .mockResolvedValue("there");
  vi.useFakeTimers(); // nothing but the person tries again
  const loading = part(load);
  await until(() => expect(toasts.list).toHaveLength(1));
  expect(load).toHaveBeenCalledTimes(1);
  await toasts.act(toasts.list[0]!);
  expect(await loading).toBe("there");
  expect(toasts.list).toEqual([]);
});

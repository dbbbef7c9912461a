import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal("addEventListener", () => undefined);
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

type Wait = (ms: number, signal: AbortSignal) => Promise<void>;
async function asked(
  errors: unknown[],
  {
    signal = new AbortController().signal,
    wait = async () => undefined,
    ...rest
  }: {
    signal?: AbortSignal;
    wait?: Wait;
    advanced?: () => boolean;
    waiting?: (now: boolean) => void;
  } = {},
) {
  const { persist } = await import("./persist");
  let times = 0;
  const end = await persist(
    () => {
      const error = errors[times++];
      return error ? Promise.reject(error) : Promise.resolve("done");
    },
    signal,
    { wait, ...rest },
  ).catch((error: Error) => error.message);
  return { times, end };
}

test("a request without an answer is repeated indefinitely", async () => {
  const { ApiError } = await import("../api/request");
  const broken = new ApiError("OFFLINE", "no answer");
  const busy = new ApiError("CONFLICT", "another request finishes it");
  const later = new ApiError("UNAVAILABLE", "full", null, 2);
  expect(await asked([broken, busy, later])).toEqual({ times: 4, end: "done" });
  expect(await asked(Array<unknown>(300).fill(broken))).toEqual({
    times: 301,
    end: "done",
  });
});

test("a busy server is asked a limited number of times", async () => {
  const { ApiError } = await import("../api/request");
  expect(
    await asked(
      Array<unknown>(20).fill(new ApiError("UNAVAILABLE", "full", null, 2)),
    ),
  ).toEqual({ times: 7, end: "full" });
});

test("a refused request is not repeated", async () => {
  const { ApiError } = await import("../api/request");
  expect(await asked([new ApiError("CONFLICT", "taken", "path")])).toEqual({
    times: 1,
    end: "taken",
  });
  expect(await asked([new ApiError("UNSUPPORTED_TYPE", "no picture")])).toEqual(
    { times: 1, end: "no picture" },
  );
});

test.each([
  ["earlier than planned", 0.2, 1000],
  ["later", 2, 2000],
  ["much later", 3600, 60_000],
])("it waits as long as the server asks for: %s", async (_, seconds, ms) => {
  const { ApiError } = await import("../api/request");
  const waits: number[] = [];
  await asked([new ApiError("UNAVAILABLE", "full", null, seconds)], {
    wait: async (wait) => void waits.push(wait),
  });
  expect(waits).toEqual([ms]);
});

test("delays increase, and start over after a request that made progress before it failed", async () => {
  const { ApiError } = await import("../api/request");
  const cut = new ApiError("OFFLINE", "no answer");
  const waits: number[] = [];
  let n = 0;
  await asked([cut, cut, cut, cut, cut], {
    wait: async (wait) => void waits.push(wait),
    advanced: () => ++n === 4,
  });
  expect(waits).toEqual([1000, 2000, 4000, 1000, 2000]);
});

test("the start and end of waiting for an answer are reported", async () => {
  const { ApiError } = await import("../api/request");
  const said: boolean[] = [];
  await asked(
    [
      new ApiError("OFFLINE", "no answer"),
      new ApiError("UNAVAILABLE", "full", null, 1),
    ],
    { waiting: (now) => said.push(now) },
  );
  expect(said).toEqual([true, false, false]);
});

test("pausing ends it", async () => {
  const { ApiError } = await import("../api/request");
  const stop = new AbortController();
  const paused = () => {
    stop.abort(new Error("paused"));
    return Promise.reject(stop.signal.reason);
  };
  expect(
    await asked([new ApiError("OFFLINE", "no answer")], {
      signal: stop.signal,
      wait: paused,
    }),
  ).toEqual({ times: 1, end: "paused" });
});

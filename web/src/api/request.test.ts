import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

test("aborting a request during its response rejects it", async () => {
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal("addEventListener", () => undefined);
  const { request } = await import("./request");
  const stop = new AbortController();
  const json = () => {
    stop.abort();
    return Promise.reject(new DOMException("stopped", "AbortError"));
  };
  vi.stubGlobal("fetch", () =>
    Promise.resolve({ ok: true, status: 200, headers: new Headers(), json }),
  );
  await expect(
    request("query { me { id } }" as never, {}, { signal: stop.signal }),
  ).rejects.toThrow("stopped");
});

test("a truncated response counts as none", async () => {
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal("addEventListener", () => undefined);
  const { request } = await import("./request");
  vi.stubGlobal("fetch", () =>
    Promise.resolve({
      ok: true,
      status: 200,
      headers: new Headers(),
      json: () => Promise.reject(new SyntaxError("unexpected end")),
    }),
  );
  await expect(
    request("query { me { id } }" as never, {}),
  ).rejects.toMatchObject({ code: "OFFLINE", message: "error.offline" }); // the key in the catalogue
});

test.each([502, 503, 504])(
  "a proxy that cannot reach the server responds with %i, which counts as no answer",
  async (status) => {
    vi.stubGlobal("localStorage", { getItem: () => null });
    vi.stubGlobal("addEventListener", () => undefined);
    const { request } = await import("./request");
    const json = () => Promise.reject(new SyntaxError("<html>"));
    vi.stubGlobal("fetch", () =>
      Promise.resolve({
        ok: false,
        status,
        statusText: "Bad Gateway",
        headers: new Headers(),
        json,
      }),
    );
    await expect(
      request("query { me { id } }" as never, {}),
    ).rejects.toMatchObject({ code: "OFFLINE" });
  },
);

const busyPayload = {
  moveFiles: {
    userErrors: [
      { code: "CONFLICT", message: "busy", field: null, retryAfter: 2 },
    ],
  },
};
test.each([
  [
    "a payload",
    {
      ok: true,
      status: 200,
      headers: new Headers(),
      json: async () => ({ data: busyPayload }),
    },
  ],
  [
    "an error",
    {
      ok: true,
      status: 200,
      headers: new Headers(),
      json: async () => ({
        errors: [
          {
            message: "full",
            extensions: { code: "UNAVAILABLE", retryAfter: 2 },
          },
        ],
      }),
    },
  ],
  [
    "a status",
    {
      ok: false,
      status: 503,
      statusText: "",
      headers: new Headers({ "Retry-After": "2" }),
      json: async () => ({ error: "UNAVAILABLE", message: "full" }),
    },
  ],
])(
  "what is busy by %s is asked again when the server says",
  async (_, answer) => {
    vi.stubGlobal("localStorage", { getItem: () => null });
    vi.stubGlobal("addEventListener", () => undefined);
    const waits: number[] = [];
    vi.stubGlobal(
      "setTimeout",
      (run: () => void, ms: number) => (waits.push(ms), run()),
    );
    const { request } = await import("./request");
    const answers: unknown[] = [
      answer,
      answer,
      {
        ok: true,
        status: 200,
        headers: new Headers(),
        json: async () => ({ data: { moveFiles: { userErrors: [] } } }),
      },
    ];
    vi.stubGlobal("fetch", async () => answers.shift());
    expect(await request("mutation { moveFiles }" as never, {})).toEqual({
      moveFiles: { userErrors: [] },
    });
    expect(waits).toEqual([2000, 2000]);
  },
);

test("a delay of a minute is not waited for, and a call is made three times at most", async () => {
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal("addEventListener", () => undefined);
  let asked = 0;
  vi.stubGlobal("setTimeout", (run: () => void) => run());
  const { request } = await import("./request");
  const say = (seconds: number) =>
    vi.stubGlobal(
      "fetch",
      async () => (
        asked++,
        {
          ok: true,
          status: 200,
          headers: new Headers(),
          json: async () => ({
            data: {
              m: {
                userErrors: [
                  {
                    code: "RATE_LIMITED",
                    message: "later",
                    retryAfter: seconds,
                  },
                ],
              },
            },
          }),
        }
      ),
    );
  say(60);
  const ask = () => request("mutation { m }" as never, {});
  await expect(ask()).rejects.toMatchObject({
    code: "RATE_LIMITED",
    retryAfter: 60,
  });
  expect(asked).toBe(1);
  say(1);
  await expect(ask()).rejects.toMatchObject({ retryAfter: 1 });
  expect(asked).toBe(4);
});

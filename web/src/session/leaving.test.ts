import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { until } from "../testing/until";
import { memory } from "./storage";

// A browser with one tab, and a server that accepts every password.
type Listener = (event: { key: string | null }) => void;
let heard: Listener[];
let answers: Record<string, unknown>[];
let ended: string[]; // the tokens of ended sessions
let refreshing: Promise<void> | null;
let refreshes: number; // the number of refresh requests

beforeEach(() => {
  vi.resetModules();
  [heard, answers, ended, refreshing, refreshes] = [[], [], [], null, 0];
  vi.stubGlobal("localStorage", memory());
  vi.stubGlobal("document", { cookie: "" });
  vi.stubGlobal("navigator", {});
  vi.stubGlobal(
    "addEventListener",
    (name: string, listener: Listener) =>
      name === "storage" && heard.push(listener),
  );
  vi.stubGlobal(
    "fetch",
    async (path: string, { headers }: { headers: Record<string, string> }) => {
      if (path.endsWith("logout")) ended.push(headers.Authorization ?? "");
      if (path.endsWith("refresh")) {
        refreshes++;
        await refreshing;
      }
      const answer =
        path === "/api/graphql"
          ? await new Promise((resolve) => answers.push({ resolve }))
          : {
              token: `t${path}`,
              expiresIn: 3600,
              user: {
                id: who,
                displayName: who,
                username: who,
                role: "user",
              },
            };
      return {
        ok: true,
        status: path.endsWith("logout") ? 204 : 200,
        json: async () => answer,
        headers: new Headers(),
      };
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

let who = "";
async function arrive(
  session: { login: (name: string, password: string) => Promise<void> },
  name: string,
) {
  who = name;
  await session.login(name, "");
}

test("a logout leaves for good, and the next login is a different person", async () => {
  const { session } = await import("./session.svelte");
  const left: boolean[] = [];
  session.onLeave((forGood) => left.push(forGood));
  await arrive(session, "iris");
  expect([left, session.another]).toEqual([[], false]);
  const turn = session.turn;
  await session.logout();
  expect(left[0]).toBe(true);
  expect(session.turn).toBe(turn + 1);
  await arrive(session, "mira");
  expect([left.at(-1), session.another]).toEqual([true, true]);
});

test("the cookie of the documentation ends with the session, even if the request fails", async () => {
  const { session } = await import("./session.svelte");
  await arrive(session, "iris");
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
  await session.logout();
  expect(document.cookie).toBe("safelight_docs=; Path=/docs/; Max-Age=0");
});

test("the same person keeps their state after the session has ended; another person does not get it", async () => {
  const { session } = await import("./session.svelte");
  const left: boolean[] = [];
  session.onLeave((forGood) => left.push(forGood));
  await arrive(session, "iris");
  session.refused(session.token);
  await arrive(session, "iris");
  expect([left, session.another]).toEqual([[false], false]);
  session.refused(session.token);
  await arrive(session, "mira");
  expect([left, session.another]).toEqual([[false, false, true], true]);
});

test("another tab may log in a different person", async () => {
  const { session } = await import("./session.svelte");
  session.start();
  const left: boolean[] = [];
  session.onLeave((forGood) => left.push(forGood));
  await arrive(session, "iris");
  const kept = JSON.parse(localStorage.getItem("safelight.session")!) as {
    user: object;
  };
  localStorage.setItem(
    "safelight.session",
    JSON.stringify({ ...kept, user: { ...kept.user, id: "mira" } }),
  );
  for (const listener of heard) listener({ key: "safelight.session" });
  expect([left, session.another]).toEqual([[true], true]);
});

test("a response that arrives after the logout is dropped", async () => {
  const [{ session }, { request }] = await Promise.all([
    import("./session.svelte"),
    import("../api/request"),
  ]);
  await arrive(session, "iris");
  const asked = request("query" as never, {}).catch(
    (error: Error) => error.name,
  );
  await session.logout();
  (answers[0]!.resolve as (answer: object) => void)({
    data: { undo: "of iris" },
  });
  expect(await asked).toBe("AbortError");
  const again = request("query" as never, {});
  (answers[1]!.resolve as (answer: object) => void)({ data: 1 });
  expect(await again).toBe(1);
});

// A session whose token has to be refreshed at once; the response is held back.
async function beginRefresh() {
  let answer = () => {};
  refreshing = new Promise((resolve) => (answer = resolve));
  const kept = {
    token: "old",
    issuedAt: 0,
    expiresAt: Date.now() + 30_000,
    user: { id: "iris", displayName: "iris", username: "iris", role: "user" },
  };
  localStorage.setItem("safelight.session", JSON.stringify(kept));
  const { session } = await import("./session.svelte");
  session.start();
  await until(() => expect(refreshes).toBe(1));
  return { session, answer };
}

test("a refresh whose response arrives after the logout logs nobody in, and its session is ended too", async () => {
  const { session, answer } = await beginRefresh();
  await session.logout();
  answer();
  await until(() =>
    expect(ended).toEqual(["Bearer old", "Bearer t/api/auth/refresh"]),
  );
  expect([session.token, localStorage.getItem("safelight.session")]).toEqual([
    "",
    null,
  ]);
});

test("nor does it replace the session of a person who has logged in meanwhile", async () => {
  const { session, answer } = await beginRefresh();
  await session.logout();
  await arrive(session, "mira");
  who = "iris";
  answer();
  await new Promise((resolve) => setTimeout(resolve, 10)); // in which it would have
  expect([session.user?.id, session.token]).toEqual([
    "mira",
    "t/api/auth/login",
  ]);
});

test("otherwise the session continues with the new token", async () => {
  const { session, answer } = await beginRefresh();
  who = "iris";
  answer();
  await until(() =>
    expect([session.user?.id, session.token]).toEqual([
      "iris",
      "t/api/auth/refresh",
    ]),
  );
});

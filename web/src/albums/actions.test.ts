import { beforeEach, expect, test, vi } from "vitest";
import { toasts } from "../ui/toasts.svelte";
import { removeFromAlbum } from "./actions";

type Input = { id: string; paths: string[]; places?: string[] };
let calls: [string, Input][];
let inAlbum: Set<string>;
let lost: number; // the number of calls that take effect, but whose answers are lost

vi.mock("../messages/index.svelte", () => ({ t: (key: string) => key }));
vi.mock("../messages/format", () => ({ formatNumber: String }));
vi.mock("../session/session.svelte", () => ({ session: { turn: 1 } }));
vi.mock("../router/router.svelte", () => ({ navigate: () => undefined }));
vi.mock("../files/changes", () => ({ progressOf: (key: string) => () => key }));
vi.mock("../gallery/actions", () => ({ tellError: () => undefined }));
vi.mock("./documents", () => ({
  AddToAlbum: "addToAlbum",
  AlbumPlaces: "albumPlaces",
  RemoveFromAlbum: "removeFromAlbum",
}));
vi.mock("../api/request", () => {
  class ApiError extends Error {
    constructor(readonly code: string) {
      super(code);
    }
  }
  const answer = (item: string) =>
    inAlbum.delete(item)
      ? { item, ok: true }
      : { item, ok: false, error: { code: "NOT_FOUND", message: "" } };
  return {
    ApiError,
    request: async (
      kind: string,
      { input, paths }: { input?: Input; paths?: string[] },
    ) => {
      if (paths) {
        const places = paths.map((path) =>
          inAlbum.has(path) ? `place of ${path}` : "",
        );
        return { album: { places } };
      }
      calls.push([kind, input!]);
      const results =
        kind === "addToAlbum"
          ? input!.paths.map((item) => ({ item, ok: true }))
          : input!.paths.map(answer);
      if (lost-- > 0) throw new ApiError("OFFLINE");
      return { [kind]: { results, userErrors: [] } };
    },
  };
});
beforeEach(() => {
  [calls, lost, inAlbum] = [[], 0, new Set()];
  toasts.clear();
});

test("files that were removed from an album return to their positions", async () => {
  const paths = Array.from({ length: 450 }, (_, i) => `${i}.jpg`);
  inAlbum = new Set(paths);
  const undone = vi.fn();
  const removed = await removeFromAlbum("A", [...paths, "missing"], undone);
  expect(removed).toEqual(paths);
  expect(calls.map(([kind]) => kind)).toEqual(Array(3).fill("removeFromAlbum"));

  calls = [];
  await toasts.undo();
  expect(calls.map(([kind]) => kind)).toEqual(Array(3).fill("addToAlbum"));
  expect(calls.flatMap(([, input]) => input.paths)).toEqual(paths);
  expect(calls.flatMap(([, input]) => input.places)).toEqual(
    paths.map((path) => `place of ${path}`),
  );
  expect(undone).toHaveBeenCalledOnce();
});

test("the same happens if the answer to their removal was lost", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", () => undefined);
  inAlbum = new Set(["a.jpg", "b.jpg"]);
  lost = 1;
  const work = removeFromAlbum("A", ["a.jpg", "gone.jpg", "b.jpg"], vi.fn());
  await vi.advanceTimersByTimeAsync(5000);
  expect(await work).toEqual(["a.jpg", "b.jpg"]);
  await toasts.undo();
  expect(calls.at(-1)).toEqual([
    "addToAlbum",
    {
      id: "A",
      paths: ["a.jpg", "b.jpg"],
      places: ["place of a.jpg", "place of b.jpg"],
    },
  ]);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

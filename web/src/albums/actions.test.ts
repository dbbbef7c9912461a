import { beforeEach, expect, test, vi } from "vitest";
import { toasts } from "../ui/toasts.svelte";
import { removeFromAlbum } from "./actions";

type Input = { id: string; paths: string[]; places?: string[] };
let calls: [string, Input][];

vi.mock("../messages/index.svelte", () => ({ t: (key: string) => key }));
vi.mock("../messages/format", () => ({ formatNumber: String }));
vi.mock("../session/session.svelte", () => ({ session: { turn: 1 } }));
vi.mock("../router/router.svelte", () => ({ navigate: () => undefined }));
vi.mock("../files/changes", () => ({ progressOf: (key: string) => () => key }));
vi.mock("../gallery/actions", () => ({ tellError: () => undefined }));
vi.mock("./documents", () => ({
  AddToAlbum: "addToAlbum",
  RemoveFromAlbum: "removeFromAlbum",
}));
vi.mock("../api/request", () => ({
  ApiError: Error,
  refuse: () => undefined,
  request: (kind: string, { input }: { input: Input }) => {
    calls.push([kind, input]);
    const results = input.paths.map((item) =>
      item === "missing"
        ? { item, ok: false, error: { code: "NOT_FOUND", message: "" } }
        : { item, ok: true, place: `place of ${item}` },
    );
    return Promise.resolve({ [kind]: { results, userErrors: [] } });
  },
}));
beforeEach(() => {
  calls = [];
  toasts.clear();
});

test("files that were taken out of an album go back to their places", async () => {
  const paths = Array.from({ length: 450 }, (_, i) => `${i}.jpg`);
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

import { beforeEach, expect, test, vi } from "vitest";
import { until } from "../testing/until";
import { ApiError } from "../api/request";
import {
  CancelUpload,
  CreateUpload,
  FileThere,
  SameSize,
  UploadProgress,
} from "./documents";
import type { Kept } from "./store";
import { account } from "./account";
import { Upload } from "./upload.svelte";

// A server with some uploads; `asked` lists its requests in order.
let known: Set<string>;
let asked: string[];
let next: number;
let refusal: ApiError | null;
let hold: Promise<void> | null;
let keys: Map<string, string>;
let lost: boolean; // whether the answer to an announcement is lost
let cuts: number; // how often the connection breaks while bytes are sent
let there: { path: string; sha256: string | null }[]; // files of the same size in the library
let taken: boolean; // whether the name is taken
let remembered: Map<string, Kept>;
let chunks: number[];

// Unanswered requests are repeated at once; a busy server is not asked again.
vi.mock("./persist", () => ({
  persist: async (
    ask: () => Promise<unknown>,
    signal: AbortSignal,
    {
      advanced = () => false,
      waiting = (_: boolean) => undefined as void,
    } = {},
  ) => {
    for (;;) {
      try {
        const answer = await ask();
        waiting(false);
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if ((error as ApiError).code !== "OFFLINE") throw error;
        waiting(true);
        advanced();
        await Promise.resolve();
      }
    }
  },
}));
vi.mock("./store", () => ({
  keep: async (some: Kept[]) =>
    void some.forEach((one) => remembered.set(one.place, one)),
  forget: async (places: string[]) =>
    void places.forEach((place) => remembered.delete(place)),
}));
type Options = {
  uploadUrl: string;
  chunkSize: number;
  onProgress?: (sent: number) => void;
  onSuccess?: () => void;
  onError?: (error: unknown) => void;
};
vi.mock("tus-js-client", () => ({
  Upload: class {
    constructor(
      _: File,
      readonly options: Options,
    ) {}
    start() {
      const id = this.options.uploadUrl.split("/").pop()!;
      asked.push(`send ${id}`);
      chunks.push(this.options.chunkSize);
      if (!known.has(id))
        return this.options.onError?.(
          Object.assign(new Error("tus: unable to resume"), {
            originalResponse: { getStatus: () => 404, getBody: () => "" },
          }),
        );
      this.options.onProgress?.(0);
      if (cuts-- > 0)
        return this.options.onError?.(
          new Error(
            "tus: failed to upload chunk at offset 0, caused by [object ProgressEvent]",
          ),
        );
      this.options.onProgress?.(3);
      this.options.onSuccess?.();
    }
    abort() {}
  },
}));
vi.mock("../api/request", async () => {
  class ApiError extends Error {
    constructor(
      readonly code: string,
      message: string,
      readonly field?: string,
    ) {
      super(message);
    }
  }
  const request = async (
    document: unknown,
    {
      input,
      id,
    }: { input: { id: string; clientKey: string; path: string }; id: string },
  ) => {
    if (document === UploadProgress)
      return { upload: known.has(id) ? { receivedBytes: 3 } : null };
    if (document === SameSize) return { files: { nodes: there } };
    if (document === FileThere && !taken)
      throw new ApiError("NOT_FOUND", "no such file");
    if (document === FileThere) return {};
    if (document === CreateUpload) {
      await hold;
      const id = keys.get(input.clientKey) ?? `u${next++}`;
      keys.set(input.clientKey, id);
      known.add(id);
      if (lost) {
        lost = false;
        throw new ApiError("OFFLINE", "no answer");
      }
      asked.push(`create ${id}`);
      return {
        createUpload: { upload: { id, url: `/tus/${id}` }, userErrors: [] },
      };
    }
    asked.push(
      `${document === CancelUpload ? "cancel" : "finish"} ${input.id}`,
    );
    if (document === CancelUpload) known.delete(input.id);
    else if (refusal) throw refusal;
    else if (!known.has(input.id))
      throw new ApiError("NOT_FOUND", "expired", "id");
    return {};
  };
  return {
    ApiError,
    request,
    refuse: () => undefined,
    messageOf: (error: Error) => error.message,
  };
});

beforeEach(() => {
  [
    known,
    asked,
    next,
    refusal,
    hold,
    keys,
    lost,
    cuts,
    there,
    taken,
    remembered,
    chunks,
  ] = [
    new Set(),
    [],
    1,
    null,
    null,
    new Map(),
    false,
    0,
    [],
    false,
    new Map(),
    [],
  ];
  vi.stubGlobal("location", { href: "http://h/" });
});

let places = 0;
const kept = (): Kept => ({
  place: `p${++places}`,
  user: "iris",
  tab: "t",
  path: "trip/a.txt",
  size: 3,
  type: "",
  modified: 0,
  policy: "ERROR",
  always: false,
  key: `k${places}`,
  id: null,
});
const upload = (file: File | null = new File(["abc"], "a.txt")) =>
  new Upload(kept(), file, account);
const announced = () => asked.filter((what) => !what.startsWith("cancel"));

test("a broken connection ends nothing, and chunks that never arrive become smaller", async () => {
  cuts = 20;
  const one = upload();
  await one.run();
  expect([
    one.state,
    one.stalled,
    announced().filter((what) => what.startsWith("create")),
  ]).toEqual(["done", false, ["create u1"]]);
  expect(chunks[0]).toBe(8 << 20);
  expect(chunks.at(-1)).toBe(256 << 10);
});

test("an upload that expired while it was sent is sent again as a new one", async () => {
  const one = upload();
  refusal = new ApiError("UNAVAILABLE", "full");
  await one.run();
  expect([one.state, one.sent]).toEqual(["failed", 3]);
  known.clear();
  refusal = null;
  await one.run();
  expect(one.state).toBe("done");
  expect(announced()).toEqual([
    "create u1",
    "send u1",
    "finish u1",
    "send u1",
    "create u2",
    "send u2",
    "finish u2",
  ]);
});

test.each(["NOT_FOUND", "EXPIRED"])(
  "what stays %s is begun three times",
  async (code) => {
    const one = upload();
    refusal = new ApiError(code, "expired", "id");
    await one.run();
    expect([
      one.state,
      ...asked.filter((what) => what.startsWith("create")),
    ]).toEqual(["failed", "create u1", "create u2", "create u3"]);
  },
);

test("a path with a change in progress is not a taken name: only the last step is repeated", async () => {
  const one = upload();
  refusal = new ApiError("CONFLICT", "a change is under way");
  await one.run();
  expect(one.state).toBe("failed");
  refusal = null;
  await one.run();
  expect(one.state).toBe("done");
  expect(asked.filter((what) => what.startsWith("create"))).toEqual([
    "create u1",
  ]);
});

test("a taken name is a conflict, and what was sent is discarded", async () => {
  const one = upload();
  refusal = new ApiError("CONFLICT", "taken", "path");
  await one.run();
  expect([one.state, one.sent]).toEqual(["conflict", 0]);
  expect(asked).toEqual(["create u1", "send u1", "finish u1", "cancel u1"]);
});

test("an upload cancelled while it is announced is cancelled on the server, and removed from the store", async () => {
  const one = upload();
  let answer = () => {};
  hold = new Promise((resolve) => (answer = resolve));
  const run = one.run();
  await until(() => expect(keys.size + next).toBe(1));
  one.cancel();
  answer();
  await run;
  await until(() => expect(asked).toEqual(["create u1", "cancel u1"]));
  expect([[...known], remembered.size]).toEqual([[], 0]);
});

test("an announcement whose answer is lost is repeated with its key; another file has a different key", async () => {
  lost = true;
  await upload().run();
  await upload().run();
  expect(asked.filter((what) => what.startsWith("finish"))).toEqual([
    "finish u1",
    "finish u2",
  ]);
  expect([...known]).toEqual(["u1", "u2"]);
});

const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // the SHA-256 of "abc", from FIPS 180-2

test("bytes that the library has are not sent, unless that is requested", async () => {
  there = [
    { path: "old/else.txt", sha256: abc.replace("b", "c") },
    { path: "old/a.txt", sha256: abc },
    { path: "trip/b.txt", sha256: abc },
    { path: "trip/new.txt", sha256: null },
  ];
  const one = upload();
  await one.run();
  expect([one.state, one.sameAs, asked, remembered.size]).toEqual([
    "same",
    "trip/b.txt",
    [],
    0,
  ]);
  one.answer({ always: true, policy: "RENAME" });
  await one.run();
  expect([one.state, one.arrived]).toEqual(["done", "trip/a.txt"]);
});

test("bytes that the library has elsewhere may be meant to replace the file with that name", async () => {
  there = [{ path: "old/a.txt", sha256: abc }];
  taken = true;
  const one = upload();
  await one.run();
  expect([one.state, one.sameAs]).toEqual(["done", ""]);
});

test("a file of the same size with other bytes is sent", async () => {
  there = [{ path: "old/else.txt", sha256: abc.replace("b", "c") }];
  const one = upload();
  await one.run();
  expect(one.state).toBe("done");
});

test("a file is stored with its upload until it has finished", async () => {
  const one = upload();
  refusal = new ApiError("INTERNAL", "no");
  await one.run();
  expect(
    [...remembered.values()].map(({ path, id, key }) => [path, id, key]),
  ).toEqual([["trip/a.txt", "u1", one.kept.key]]);
  refusal = null;
  await one.run();
  expect(remembered.size).toBe(0);
});

test("an upload without its file is lost, and resumes when the file is chosen again", async () => {
  const before = upload();
  refusal = new ApiError("UNAVAILABLE", "the page is closed here");
  await before.run();
  refusal = null;
  const after = new Upload([...remembered.values()][0]!, null, account);
  expect(after.state).toBe("lost");
  after.found(new File(["abc"], "a.txt"));
  await after.run();
  expect(after.state).toBe("done");
  expect(announced()).toEqual([
    "create u1",
    "send u1",
    "finish u1",
    "create u1",
    "send u1",
    "finish u1",
  ]);
});

test("an upload without its file finishes if all of its bytes have arrived", async () => {
  const before = upload();
  refusal = new ApiError("UNAVAILABLE", "the page is closed here");
  await before.run();
  const after = new Upload([...remembered.values()][0]!, null, account);
  await after.look();
  expect([after.state, after.sent]).toEqual(["waiting", 3]);
  refusal = null;
  await after.run();
  expect(after.state).toBe("done");
  expect(announced().slice(3)).toEqual(["finish u1"]);
  expect(remembered.size).toBe(0);
});

test("an upload without its file is lost again if the server no longer has it when it finishes", async () => {
  const before = upload();
  refusal = new ApiError("UNAVAILABLE", "the page is closed here");
  await before.run();
  const after = new Upload([...remembered.values()][0]!, null, account);
  await after.look();
  refusal = null;
  known.clear();
  await after.run();
  expect([after.state, after.sent]).toEqual(["lost", 0]);
  expect(announced().slice(3)).toEqual(["finish u1"]);
});

test("a file that cannot be read any more has to be chosen again", async () => {
  cuts = 1;
  const file = new File(["abc"], "a.txt");
  file.slice = () =>
    ({
      arrayBuffer: () =>
        Promise.reject(new DOMException("changed", "NotReadableError")),
    }) as unknown as Blob;
  const one = upload(file);
  await one.run();
  expect(one.state).toBe("lost");
});

test("an upload waits while the session has ended", async () => {
  const one = upload();
  refusal = new ApiError("UNAUTHENTICATED", "log in");
  await one.run();
  expect(one.state).toBe("waiting");
});

import { ApiError, request } from "../api/request";
import { parentOf } from "../gallery/folders.svelte";
import { FileThere, SameSize } from "./documents";

/**
 * Milliseconds after which a request without an answer is repeated: a broken connection may not be
 * reported.
 */
const patience = 120_000;

const soon = (signal: AbortSignal) =>
  AbortSignal.any([signal, AbortSignal.timeout(patience)]);

/**
 * The path of a library file with the same bytes, preferably in the target folder. Null if there is
 * none, or if another file there has the same name, because this one may be meant to replace it.
 * Most files differ in size, so the bytes are read only if the library has a file of the same size.
 */
export async function findSame(
  file: Blob,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { files } = await request(
    SameSize,
    { size: file.size },
    { signal: soon(signal) },
  );
  const analyzed = (files?.nodes ?? []).filter((one) => one.sha256);
  if (!analyzed.length) return null;
  const sum = await sha256Of(file, signal).catch((error: unknown) => {
    if (signal.aborted || error instanceof DOMException) throw error;
    return null; // the hash module did not load: send the file
  });
  if (!sum) return null;
  const same = analyzed
    .filter((one) => one.sha256 === sum)
    .map((one) => one.path);
  if (!same.length || same.includes(path)) return same.length ? path : null;
  if (await exists(path, signal)) return null;
  return same.find((one) => parentOf(one) === parentOf(path)) ?? same[0]!;
}

async function exists(path: string, signal: AbortSignal): Promise<boolean> {
  try {
    await request(FileThere, { path }, { signal: soon(signal) });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "NOT_FOUND") return false;
    throw error;
  }
}

/**
 * The SHA-256 of bytes, read in pieces. `crypto.subtle` needs them all in memory at once, and does
 * not exist over plain HTTP.
 */
export async function sha256Of(
  file: Blob,
  signal?: AbortSignal,
): Promise<string> {
  const { sha256 } = await import("@noble/hashes/sha2.js");
  const sum = sha256.create();
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    signal?.throwIfAborted();
    if (done) break;
    sum.update(value);
  }
  return Array.from(sum.digest(), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

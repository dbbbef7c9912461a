import type { Kept } from "./store";

/** Sends files to the server: those of an account, or those of a visitor who adds files through a link. */
export type Sender = {
  /** Announces a file. The same `key` returns the same upload. The URL accepts its bytes by tus. */
  announce(file: Kept): Promise<{ id: string; url: string }>;
  /** Creates the file once all bytes have arrived. Returns its path; empty if the server does not reveal it. */
  finish(id: string): Promise<string>;
  /** Cancels it. If that fails, the upload expires. */
  cancel(id: string): void;
  /** The number of bytes that have arrived; 0 if the upload no longer exists. */
  received(id: string): Promise<number>;
  /** The path of a library file with the same bytes; null if there is none, and for people who may not know. */
  same(file: Blob, path: string, signal: AbortSignal): Promise<string | null>;
};

/** Milliseconds after which a request, or a transfer without progress, counts as unanswered. */
export const patience = 120_000;

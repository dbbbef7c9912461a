import type { Kept } from "./store";

/** How files get to the server: those of an account, or those that a visitor of a link adds. */
export type Sender = {
  /** Announces a file. The same `key` finds the same upload. The URL takes its bytes by tus. */
  announce(file: Kept): Promise<{ id: string; url: string }>;
  /** Makes it a file once all bytes have arrived. Returns its path; empty if that is not told. */
  finish(id: string): Promise<string>;
  /** Gives it up. If that fails, it expires. */
  cancel(id: string): void;
  /** How many bytes have arrived; 0 if it is gone. */
  received(id: string): Promise<number>;
  /** The path of a file in the library that has the same bytes; null for none, and for people who may not know. */
  same(file: Blob, path: string, signal: AbortSignal): Promise<string | null>;
};

/** Milliseconds after which a question, or bytes that do not move, count as without an answer. */
export const patience = 120_000;

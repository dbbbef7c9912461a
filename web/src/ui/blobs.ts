/** Milliseconds in which what was given a `blob:` address has begun to read it, a save dialog of the browser included. */
const patience = 60_000;

/**
 * Frees a `blob:` address and its bytes, a minute later: an element that was given it may not have read it yet, and would show a
 * broken picture.
 */
export function freeBlob(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), patience);
}

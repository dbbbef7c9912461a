/** Milliseconds after which an element, or a save dialog, has begun to read the `blob:` address that it was given. */
const patience = 60_000;

/**
 * Frees a `blob:` address and its bytes, a minute later: a picture that has not read it yet would be shown as broken.
 */
export function freeBlob(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), patience);
}

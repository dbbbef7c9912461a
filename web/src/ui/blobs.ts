/** Milliseconds after which an element or a save dialog has started reading its `blob:` URL. */
const patience = 60_000;

/** Revokes a `blob:` URL after a minute: a picture that has not read it yet would be shown as broken. */
export function freeBlob(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), patience);
}

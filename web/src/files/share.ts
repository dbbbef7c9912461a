import { copyText } from "../ui/clipboard";

/** Whether the device can share links. */
export const canShare =
  typeof navigator !== "undefined" && "share" in navigator;

/** Shares an address by the device; copies it where the device cannot share. */
export async function share(url: string, title: string): Promise<void> {
  if (!canShare) return copyText(url);
  try {
    await navigator.share({ title, url });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError"))
      await copyText(url); // it cannot be shared here
  }
}

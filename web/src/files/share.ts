import { copyText } from "../ui/clipboard";

/** Whether the device has something to share links with. */
export const canShare =
  typeof navigator !== "undefined" && "share" in navigator;

/** Hands an address to what the device shares with; copies it where there is nothing of the kind. */
export async function share(url: string, title: string): Promise<void> {
  if (!canShare) return copyText(url);
  try {
    await navigator.share({ title, url });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError"))
      await copyText(url); // it cannot be shared here
  }
}

import { isAbort } from "../api/transport";
import { copyText } from "../ui/clipboard";

/** Whether the device can share links. */
export const canShare =
  typeof navigator !== "undefined" && "share" in navigator;

/** Shares a URL with the device's share dialog; copies it if there is none. */
export async function share(url: string, title: string): Promise<void> {
  if (!canShare) return copyText(url);
  try {
    await navigator.share({ title, url });
  } catch (error) {
    if (!isAbort(error)) await copyText(url); // sharing is not possible here
  }
}

import { copyText } from "../ui/clipboard";

/** Hands the address of a page to what the device shares with; copies it where there is nothing of the kind. */
export async function shareLink(path: string, title: string): Promise<void> {
  const url = location.origin + path;
  if (!navigator.share) return copyText(url);
  try {
    await navigator.share({ title, url });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError"))
      await copyText(url); // it cannot be shared here
  }
}

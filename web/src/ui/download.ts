import { freeBlob } from "./blobs";

/** Makes the browser download a URL under a file name. */
export function download(href: string, name: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}

/** Makes the browser save bytes in memory under a file name. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  download(url, name);
  freeBlob(url);
}

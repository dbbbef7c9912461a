import { freeBlob } from "./blobs";

/** Lets the browser store what an address answers with, under a name. */
export function download(href: string, name: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}

/** Lets the browser store bytes that are in memory, under a name. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  download(url, name);
  freeBlob(url);
}

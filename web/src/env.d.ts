declare module "lucide:*" {
  /** The icon's outline, for Icon's `path`. */
  const outline: string;
  export default outline;
}

// Files that a page can read again after a reload. Chromium supports them; TypeScript's library does not
// declare them yet.
type ReadMode = { mode: "read" };
interface FileSystemHandle {
  queryPermission(mode: ReadMode): Promise<PermissionState>;
  requestPermission(mode: ReadMode): Promise<PermissionState>;
}
interface FileSystemDirectoryHandle {
  values(): AsyncIterable<FileSystemHandle>;
}
interface DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}
interface Window {
  showOpenFilePicker?(options: {
    multiple: boolean;
    types?: { description?: string; accept: Record<string, string[]> }[];
  }): Promise<FileSystemFileHandle[]>;
  showDirectoryPicker?(): Promise<FileSystemDirectoryHandle>;
}

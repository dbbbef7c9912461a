import { request } from "../api/request";
import type { Change } from "../live/live";
import { session } from "../session/session.svelte";
import { PinFolder, PinnedFolders } from "./documents";
import type { FolderEntry } from "./folders.svelte";

/** The person's pinned folders, in the order of pinning. */
class Pins {
  list = $state.raw<readonly FolderEntry[]>([]);
  #loaded = false;
  #round = 0;

  has(path: string): boolean {
    return this.list.some((folder) => folder.path === path);
  }

  /** Loads them once. Guests have none. */
  async load(): Promise<void> {
    if (this.#loaded || !session.mayEdit) return;
    this.#loaded = true;
    await this.reload().catch(() => (this.#loaded = false));
  }

  async reload(): Promise<void> {
    const round = ++this.#round;
    const { pinnedFolders } = await request(PinnedFolders, {});
    if (round === this.#round) this.list = pinnedFolders ?? [];
  }

  /** Pins a folder, or unpins it. */
  async pin(path: string, pinned: boolean): Promise<void> {
    await request(PinFolder, { input: { path, pinned } });
    // The change is done even if the list does not load now; it is then loaded when it is shown next.
    await this.reload().catch(() => {
      this.#loaded = false;
      if (!pinned)
        this.list = this.list.filter((folder) => folder.path !== path);
    });
  }

  /** Reloads if a pinned folder may have been removed, moved or restored. */
  follow(changes: readonly Change[]): void {
    const concerns = ({ kind, path, isFile }: Change) =>
      kind === "RELOAD" || (!isFile && kind !== "CHANGED" && path !== "");
    if (this.#loaded && changes.some(concerns))
      void this.reload().catch(() => undefined);
  }

  /** Discards them when the account changes. */
  clear(): void {
    this.list = [];
    this.#loaded = false;
    this.#round++;
  }
}

export const pins = new Pins();

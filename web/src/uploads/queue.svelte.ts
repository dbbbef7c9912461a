import { SvelteMap } from "svelte/reactivity";
import { joinPath, nameOf, parentOf } from "../gallery/folders.svelte";
import type { Picked } from "./pick";
import {
  accessTo,
  allow,
  claim,
  forget,
  keep,
  reopen,
  tab,
  type Kept,
} from "./store";
import type { Sender } from "./sender";
import { loadTus, newKey, Upload, type Policy } from "./upload.svelte";

/** The account or visitor whose files are sent, and how. */
export type Person = {
  sender: Sender;
  /** The key under which the browser remembers the person; empty if there is none. */
  readonly name: string;
  /** Changes with every logout: work that was started before does not continue. */
  readonly turn: number;
  /** Called when files have arrived in a folder or below it. */
  arrived(folder: string): void;
};

/** The number of concurrent uploads. */
const lanes = 3;

/** The maximum number of lost files whose upload progress is requested after a reload. */
const looks = 20;

type AddOptions = {
  /** Send them even if the library already has the same bytes. */
  always?: boolean;
  /** How to handle names that are taken. */
  policy?: Policy;
  /**
   * Whether the application created them, such as exports. They count as new, whatever the
   * library contains.
   */
  made?: boolean;
};

/** All uploads of a person in this tab. They continue on other pages, and after a reload. */
export class Uploads {
  list = $state.raw<Upload[]>([]);
  readonly #person: Person;
  readonly #finished = new SvelteMap<string, number>();
  #claimed = "";

  constructor(person: Person) {
    this.#person = person;
  }

  /**
   * Starts uploading into a folder. Files that were lost by a reload and have the same path
   * continue where they stopped.
   */
  add(
    folder: string,
    picked: Picked[],
    { made = false, always = made, policy = "ERROR" }: AddOptions = {},
  ): Upload[] {
    if (!picked.length) return [];
    const lost = new Map(this.lost.map((one) => [one.path, one]));
    const begun: Upload[] = [];
    for (const one of picked) {
      const path = joinPath(folder, one.path);
      const before = lost.get(path);
      if (before && isSame(before.kept, one.file)) before.found(one.file, one);
      else
        begun.push(
          this.#upload(
            {
              ...remember(this.#person.name, path, one, always, policy),
              made,
            },
            one.file,
          ),
        );
    }
    void keep(begun.map(({ kept }) => kept));
    this.list = [...this.list, ...begun];
    void loadTus().catch(() => undefined); // loaded now, while there is a connection
    this.#fill();
    return begun;
  }

  /**
   * Starts uploading files that are not available yet. Returns null and uploads nothing if the
   * person has logged out by then.
   */
  async addLater(
    folder: string,
    coming: Promise<Picked[]>,
    options?: AddOptions,
  ): Promise<Upload[] | null> {
    const { turn } = this.#person;
    try {
      const picked = await coming;
      return turn === this.#person.turn
        ? this.add(folder, picked, options)
        : null;
    } catch (error) {
      if (turn !== this.#person.turn) return null;
      throw error;
    }
  }

  /**
   * Resumes a person's remaining uploads: those that waited for a login, and those that a reload
   * or another tab has left behind.
   */
  async resume(user: string): Promise<void> {
    this.#fill();
    if (this.#claimed === user) return;
    this.#claimed = user;
    await this.#take(user);
  }
  async #take(user: string): Promise<void> {
    if (this.#person.name !== user) return;
    const { turn } = this.#person;
    const claimed = await claim(user, () => void this.#take(user));
    const left = await Promise.all(
      claimed.map(async (kept) => this.#upload(kept, await openQuietly(kept))),
    );
    if (turn !== this.#person.turn)
      return void forget(claimed.map(({ place }) => place)); // a logout discards them
    this.list = [...this.list, ...left];
    await this.#consider();
    this.#fill();
    const announced = this.lost.filter(({ kept }) => kept.id).slice(0, looks);
    await Promise.all(announced.map((one) => one.look()));
    this.#fill();
  }

  /** Files that the person has to choose again after a reload. */
  get lost(): Upload[] {
    return this.list.filter((one) => one.state === "lost");
  }
  /** Those of the lost files that can be read as soon as the person allows it. */
  askable = $state.raw<Upload[]>([]);

  /** Asks for permission to read remembered files; needs a click. */
  async askAgain(): Promise<void> {
    const roots = new Map<string, FileSystemHandle>();
    for (const { kept } of this.askable)
      if (kept.root)
        roots.set(`${kept.root.kind} ${kept.root.name}`, kept.root);
    for (const root of roots.values()) await allow(root);
    for (const one of this.askable) {
      const file = await openQuietly(one.kept);
      if (file) one.found(file);
    }
    await this.#consider();
    this.#fill();
  }
  async #consider(): Promise<void> {
    const access = await Promise.all(
      this.lost.map(async (one) => ({ one, may: await accessTo(one.kept) })),
    );
    this.askable = access
      .filter(({ may }) => may === "prompt")
      .map(({ one }) => one);
  }

  /** Resumes lost files that were chosen again, from any folder. Returns how many matched. */
  choose(picked: Picked[]): number {
    let found = 0;
    const lost = this.lost;
    for (const one of picked) {
      const same = lost.filter(
        ({ kept, state }) =>
          state === "lost" &&
          nameOf(kept.path) === nameOf(one.path) &&
          isSame(kept, one.file),
      );
      const before =
        same.find(({ path }) => path.endsWith(`/${one.path}`)) ?? same[0];
      if (!before) continue;
      before.found(one.file, one);
      found++;
    }
    this.#fill();
    return found;
  }
  /** Discards lost files. */
  forgetLost(): void {
    const lost = new Set(this.lost);
    for (const one of lost) one.cancel();
    this.list = this.list.filter((one) => !lost.has(one));
  }

  /** A number that increases whenever uploads into a folder, or below it, have finished. */
  finishedIn(folder: string): number {
    return this.#finished.get(folder) ?? 0;
  }

  /** The number of finished uploads. */
  get done(): number {
    return this.list.filter(
      (one) => one.state === "done" || one.state === "same",
    ).length;
  }
  get running(): boolean {
    return this.list.some((one) => one.open);
  }
  /** Whether closing the page would interrupt something. Lost files wait in any case. */
  get unfinished(): boolean {
    return this.list.some(
      (one) => !["done", "same", "lost"].includes(one.state),
    );
  }
  /** Whether all uploads wait for an answer from the server. */
  get stalled(): boolean {
    const sending = this.list.filter((one) => one.state === "sending");
    return sending.length > 0 && sending.every((one) => one.stalled);
  }
  get bytes(): { sent: number; all: number } {
    const all = this.list.reduce((sum, one) => sum + one.size, 0);
    return {
      sent: this.list.reduce(
        (sum, one) =>
          sum +
          (one.state === "done" || one.state === "same" ? one.size : one.sent),
        0,
      ),
      all,
    };
  }

  /** Retries an upload, with a policy if its name is taken. */
  retry(upload: Upload, policy?: Policy): void {
    if (policy) upload.answer({ policy });
    else upload.state = "waiting";
    this.#fill();
  }
  /** Sends a file although the library has the same bytes, under a different name if its name is taken. */
  sendAnyway(upload: Upload): void {
    upload.answer({ always: true, policy: "RENAME" });
    this.#fill();
  }
  /** Sends all files whose bytes the library already has. */
  sendAllAnyway(): void {
    for (const upload of this.list.filter((one) => one.state === "same"))
      this.sendAnyway(upload);
  }
  /** Resolves all open conflicts with the same policy; null skips those files. */
  resolveAll(policy: Policy | null): void {
    for (const upload of this.list.filter((one) => one.state === "conflict")) {
      if (policy) this.retry(upload, policy);
      else this.drop(upload);
    }
  }
  pauseAll(): void {
    for (const upload of this.list) upload.pause();
  }
  resumeAll(): void {
    for (const upload of this.list)
      if (upload.state === "paused" || upload.state === "failed")
        upload.state = "waiting";
    this.#fill();
  }
  drop(upload: Upload): void {
    upload.cancel();
    this.list = this.list.filter((one) => one !== upload);
    this.#fill();
  }
  /** Clears the list and cancels running uploads. */
  clear(): void {
    for (const upload of this.list) upload.cancel();
    this.list = [];
    this.askable = [];
    this.#claimed = "";
  }

  #upload(kept: Kept, file: File | null): Upload {
    return new Upload(kept, file, this.#person.sender);
  }

  #fill(): void {
    if (!this.#person.name) return; // `resume` continues them
    const room =
      lanes - this.list.filter((one) => one.state === "sending").length;
    for (const upload of this.list
      .filter((one) => one.state === "waiting")
      .slice(0, Math.max(0, room))) {
      void upload.run().then(() => {
        this.#fill();
        if (upload.state === "done") this.#tell(upload.path);
      });
    }
  }

  // Folders in which files have arrived. Their pages are notified after a short delay, once for many files.
  #told = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tell(path: string): void {
    for (let folder = parentOf(path); ; folder = parentOf(folder)) {
      this.#told.add(folder);
      if (!folder) break;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const folder of this.#told) {
        this.#finished.set(folder, this.finishedIn(folder) + 1);
        this.#person.arrived(folder);
      }
      this.#told.clear();
    }, 600);
  }
}

function remember(
  user: string,
  path: string,
  { file, root, within, only }: Picked,
  always: boolean,
  policy: Policy,
): Kept {
  const { size, type, lastModified: modified } = file;
  return {
    place: newKey(),
    user,
    tab,
    path,
    size,
    type,
    modified,
    policy,
    always,
    key: newKey(),
    id: null,
    root,
    within,
    blob: only ? file : undefined,
  };
}

const isSame = ({ size, modified }: Kept, file: File) =>
  size === file.size && modified === file.lastModified;

// The file, if it can be read without asking for permission.
const openQuietly = async (kept: Kept) =>
  (await accessTo(kept)) === "granted" ? reopen(kept) : null;

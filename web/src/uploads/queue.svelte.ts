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

/** Whose files are sent, and how. */
export type Person = {
  sender: Sender;
  /** What the browser remembers them by; empty while nobody is there. */
  readonly name: string;
  /** Another one after a logout: what was begun before does not go on. */
  readonly turn: number;
  /** Files have arrived in a folder, or below it. */
  arrived(folder: string): void;
};

/** How many are sent at the same time. */
const lanes = 3;

/** How many files of the same names are looked at for how much of them has arrived. */
const looks = 20;

type AddOptions = {
  /** Send them even if the library has the same bytes. */
  always?: boolean;
  /** What to do about a name that is taken. */
  policy?: Policy;
  /** The application made them, such as exports. They are new, whatever the library has. */
  made?: boolean;
};

/** All uploads of a person in this tab. They go on while somebody looks at other pages, and after a reload. */
export class Uploads {
  list = $state.raw<Upload[]>([]);
  readonly #person: Person;
  readonly #finished = new SvelteMap<string, number>();
  #claimed = "";

  constructor(person: Person) {
    this.#person = person;
  }

  /** Starts uploading into a folder. What was lost by a reload and is to be at the same path goes on from where it was. */
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
    void loadTus().catch(() => undefined); // while there is a connection
    this.#fill();
    return begun;
  }

  /** Starts uploading files that are still to come. Returns null, and uploads nothing, if the person has left by then, whatever came. */
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

  /** Goes on with what is left of a person who is here: what waited for a login, and what a reload or another tab has left behind. */
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
      return void forget(claimed.map(({ place }) => place)); // as a logout does
    this.list = [...this.list, ...left];
    await this.#consider();
    this.#fill();
    for (const one of this.lost.slice(0, looks)) void one.look();
  }

  /** Files that the person has to choose again after a reload. */
  get lost(): Upload[] {
    return this.list.filter((one) => one.state === "lost");
  }
  /** Those of them that can be read as soon as the person allows it. */
  askable = $state.raw<Upload[]>([]);

  /** Asks whether files that are remembered may be read again; needs a click. */
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

  /** Goes on with lost files, wherever they were chosen from. Returns how many of them there were. */
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
  /** Gives up what is lost. */
  forgetLost(): void {
    const lost = new Set(this.lost);
    for (const one of lost) one.cancel();
    this.list = this.list.filter((one) => !lost.has(one));
  }

  /** A number that grows whenever uploads into a folder, or below it, have finished. */
  finishedIn(folder: string): number {
    return this.#finished.get(folder) ?? 0;
  }

  /** How many are in the library. */
  get done(): number {
    return this.list.filter(
      (one) => one.state === "done" || one.state === "same",
    ).length;
  }
  get running(): boolean {
    return this.list.some((one) => one.open);
  }
  /** Whether closing the page would end something. What is lost waits in any case. */
  get unfinished(): boolean {
    return this.list.some(
      (one) => !["done", "same", "lost"].includes(one.state),
    );
  }
  /** Whether nothing moves until there is an answer again. */
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

  /** Tries one again; with a policy when its name is taken. */
  retry(upload: Upload, policy?: Policy): void {
    if (policy) upload.answer({ policy });
    else upload.state = "waiting";
    this.#fill();
  }
  /** Sends one although the library has the same bytes; under a name of its own where that is taken. */
  sendAnyway(upload: Upload): void {
    upload.answer({ always: true, policy: "RENAME" });
    this.#fill();
  }
  /** Sends all of those. */
  sendAllAnyway(): void {
    for (const upload of this.list.filter((one) => one.state === "same"))
      this.sendAnyway(upload);
  }
  /** Answers every open conflict the same way; null leaves those files out. */
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
  /** Empties the list; what runs is given up. */
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
    if (!this.#person.name) return; // `resume` goes on
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

  // The pages that show the folder hear of it once a moment, not for each of hundreds of files.
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

// The file, if it can be read without asking.
const openQuietly = async (kept: Kept) =>
  (await accessTo(kept)) === "granted" ? reopen(kept) : null;

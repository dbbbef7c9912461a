import type { FileFilter } from "../api/graphql";
import { allOf } from "../api/pages";
import { request } from "../api/request";
import { tellError } from "../gallery/actions";
import { t } from "../messages/index.svelte";
import { session } from "../session/session.svelte";
import { toasts, undo } from "../ui/toasts.svelte";
import { addressOf, type Kept } from "./address";
import {
  CreateSavedSearch,
  DeleteSavedSearch,
  RenameSavedSearch,
  SavedSearches,
} from "./documents";

/** A saved search, its URL, and its parts that cannot be shown. */
export type Saved = Kept & {
  id: string;
  name: string;
  href: string;
  lost: string[];
};

/** The saved searches of the account, by name. */
class SavedList {
  list = $state.raw<Saved[]>([]);
  #user = "";
  #asked = 0;

  /** Loads the searches of an account, and discards those of another. */
  async open(user: string): Promise<void> {
    if (user !== this.#user) this.list = [];
    this.#user = user;
    await this.#load();
  }

  /** Discards them when the account changes. */
  clear(): void {
    this.list = [];
    this.#user = "";
    this.#asked++;
  }

  // If several requests overlap, only the last one counts.
  async #load(): Promise<void> {
    const asked = ++this.#asked;
    const nodes = await allOf(
      async (after) => (await request(SavedSearches, { after })).savedSearches,
    );
    if (asked !== this.#asked) return;
    this.list = nodes.map((node) => {
      const kept = { ...node, filter: (node.filter ?? {}) as FileFilter };
      return { ...kept, ...addressOf(kept) };
    });
  }

  /** Saves a search. Throws ApiError: CONFLICT when the name is taken. */
  async create(
    name: string,
    { folder, recursive, search, filter, sort, order }: Kept,
  ): Promise<void> {
    await request(CreateSavedSearch, {
      input: { name, folder, recursive, search, filter, sort, order },
    });
    await this.#load();
  }

  /** Renames a search. Throws ApiError: CONFLICT when the name is taken. */
  async rename(id: string, name: string): Promise<void> {
    await request(RenameSavedSearch, {
      input: { id, name },
    });
    await this.#load();
  }

  /** Deletes a search, with an undo. */
  async remove(one: Saved): Promise<void> {
    try {
      await request(DeleteSavedSearch, {
        input: { id: one.id },
      });
      this.list = this.list.filter((other) => other.id !== one.id);
      toasts.show(
        "done",
        t("saved.deleted", { name: one.name }),
        undo(() => this.create(one.name, one).catch(tellError)),
      );
    } catch (error) {
      tellError(error);
    }
  }
}

export const saved = new SavedList();
session.onLeave((forGood) => forGood && saved.clear());

/** Shows which parts of a search are not shown when it is opened. */
export function tellLost({ lost }: Saved): void {
  if (lost.length)
    toasts.show("note", t("saved.lost", { parts: lost.join(", ") }));
}

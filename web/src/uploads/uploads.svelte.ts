import { folders } from "../gallery/folders.svelte";
import { session } from "../session/session.svelte";
import { account } from "./account";
import { Uploads } from "./queue.svelte";

export type { Upload } from "./upload.svelte";

/** The uploads of the account that is logged in. */
export const uploads = new Uploads({
  sender: account,
  get name() {
    return session.user?.id ?? "";
  },
  get turn() {
    return session.turn;
  },
  arrived: (folder) => void folders.reload(folder).catch(() => undefined),
});

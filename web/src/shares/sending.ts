import { ApiError, errorOf, type ErrorBody } from "../api/transport";
import { nameOf, parentOf } from "../gallery/folders.svelte";
import { t } from "../messages/index.svelte";
import { Uploads } from "../uploads/queue.svelte";
import { patience, type Sender } from "../uploads/sender";
import { linkOf } from "./visit";

const base64 = (text: string) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Sends the files of a link's visitor. Upload ids are their URLs, and paths are within the shared folder. */
export function senderOf(key: string): Sender {
  const ask = async (
    method: string,
    url: string,
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    const response = await fetch(url, {
      method,
      headers: { "Tus-Resumable": "1.0.0", ...headers },
      credentials: "same-origin",
      signal: AbortSignal.timeout(patience),
    }).catch(() => {
      throw new ApiError("OFFLINE", t("error.offline"));
    });
    if (response.ok) {
      await response.text().catch(() => ""); // unread, the request would end only by its timeout
      return response;
    }
    const answer: unknown = await response.json().catch(() => ({}));
    throw errorOf(response, answer as ErrorBody);
  };
  return {
    async announce({ path, type, size, key: clientKey }) {
      const said = {
        filename: nameOf(path),
        folder: parentOf(path),
        clientKey,
        ...(type.startsWith("image/") ? { filetype: type } : {}),
      };
      const response = await ask("POST", `${linkOf(key)}/uploads`, {
        "Upload-Length": String(size),
        "Upload-Metadata": Object.entries(said)
          .map(([name, value]) => `${name} ${base64(value)}`)
          .join(","),
      });
      const url = response.headers.get("Location") ?? "";
      return { id: url, url };
    },
    /** The last byte has created the file, unless the response was lost and it failed. */
    async finish(url) {
      await ask("HEAD", url);
      return "";
    },
    cancel: (url) => void ask("DELETE", url).catch(() => undefined),
    received: (url) =>
      ask("HEAD", url).then(
        ({ headers }) => Number(headers.get("Upload-Offset")),
        () => 0,
      ),
    same: async () => null, // visitors must not learn what the library contains
  };
}

const queues = new Map<string, Uploads>();

/** The uploads of this visitor of a link. */
export function uploadsOf(key: string): Uploads {
  let queue = queues.get(key);
  if (!queue) {
    queue = new Uploads({
      sender: senderOf(key),
      name: linkOf(key),
      turn: 0,
      arrived: () => undefined,
    });
    queues.set(key, queue);
  }
  return queue;
}

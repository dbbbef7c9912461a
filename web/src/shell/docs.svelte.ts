import { insist } from "../api/insist";
import { appOptions } from "../api/request";

/** Whether the server publishes its documentation; false until it has answered. */
export const docs = $state({ shown: false });

/** Whether the server sends e-mail; false until it has answered. */
export const mail = $state({ on: false });

/** Repeats the request until the server answers. Call the returned function to abort. */
export function askForDocs(): () => void {
  const stop = new AbortController();
  insist(appOptions, stop.signal).then(
    (options) => {
      docs.shown = options.docs;
      mail.on = options.mail;
    },
    () => undefined,
  );
  return () => stop.abort();
}

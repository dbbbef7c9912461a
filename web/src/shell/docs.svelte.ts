import { insist } from "../api/insist";
import { appOptions } from "../api/request";

/** Whether the server shows its documentation; false until it has said so. */
export const docs = $state({ shown: false });

/** Whether the server sends e-mail; false until it has said so. */
export const mail = $state({ on: false });

/** Asks the server until it answers. The returned function says stop. */
export function askForDocs(): () => void {
  const stop = new AbortController();
  insist(appOptions, stop.signal, () => undefined).then(
    (options) => {
      docs.shown = options.docs;
      mail.on = options.mail;
    },
    () => undefined,
  );
  return () => stop.abort();
}

import { appOptions } from "../api/request";

/** Whether the server shows its documentation; false until it has said so. */
export const docs = $state({ shown: false });

/** Asks the server. */
export function askForDocs(): void {
  appOptions().then(
    (options) => (docs.shown = options.docs),
    () => undefined,
  );
}

import { session } from "../session/session.svelte";
import { forgetShared } from "./shared";

type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(url: string): string };
};

const worker = "/app/worker.js";

/**
 * Registers the service worker once the page has loaded; not in third-party frames, and not over
 * plain HTTP.
 */
export function install(): void {
  if (!("serviceWorker" in navigator) || window.top !== window) return;
  session.onLeave((forGood) => forGood && void forgetShared());
  const { trustedTypes } = window as { trustedTypes?: Policies };
  const address =
    trustedTypes
      ?.createPolicy("safelight-worker", { createScriptURL: () => worker })
      .createScriptURL(worker) ?? worker;
  const start = () =>
    void navigator.serviceWorker
      .register(address, { scope: "/" })
      .catch(() => undefined); // the application works without it
  if (document.readyState === "complete") start();
  else addEventListener("load", start);
}

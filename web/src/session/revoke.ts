import { request } from "../api/request";
import { t } from "../messages/index.svelte";
import { toasts } from "../ui/toasts.svelte";
import { RevokeMyTokens } from "./documents";

/** Revokes the account's API tokens, and ends its other sessions. */
export async function revokeMyTokens(): Promise<void> {
  await request(RevokeMyTokens, {});
  toasts.show("done", t("factor.revoked"));
}

import { request } from "../api/request";
import { t } from "../messages/index.svelte";
import { toasts } from "../ui/toasts.svelte";
import { RevokeMyTokens } from "./documents";

/** Revokes the API tokens of the account, whose other sessions end too. */
export async function revokeMyTokens(): Promise<void> {
  await request(RevokeMyTokens, {});
  toasts.show("done", t("factor.revoked"));
}

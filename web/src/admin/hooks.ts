import type { WebhookFragment } from "../api/graphql";
import { t } from "../messages/index.svelte";

/** The server deletes delivered events after this many days. */
const daysKept = 7;

/** What the list says about the deliveries of a webhook. */
export function hookState(hook: WebhookFragment, now = Date.now()): string {
  if (hook.isGone) return t("admin.hooks.gone");
  if (!hook.isActive) return t("admin.hooks.off");
  const waiting = hook.waiting?.totalCount ?? 0;
  const failed = hook.failed?.totalCount ?? 0;
  if (waiting || failed)
    return [
      waiting && t("admin.hooks.waiting", { n: waiting }),
      failed && t("admin.hooks.failed", { n: failed }),
    ]
      .filter(Boolean)
      .join(" · ");
  if (hook.delivered?.totalCount) return t("admin.hooks.fine");
  const age = now - Date.parse(hook.createdAt);
  return age < daysKept * 86_400_000
    ? t("admin.hooks.nothing")
    : t("admin.hooks.quiet", { n: daysKept });
}

// What every journey is held to, whatever it does.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { barriers, openTab, settled, watch } from "./tab.mjs";

/** Where pictures of failed journeys are put. */
export const out = fileURLToPath(new URL("../../journeys/", import.meta.url));

/**
 * Walks through steps in tabs of their own. Fails if a tab had an error in its console, a report of the policy or a request to another
 * host, and if axe has a finding where the steps end. `kept` gets the page of a walk that failed.
 */
export async function visit(
  browser,
  server,
  { session, tab = {}, options = {}, kept = () => undefined },
  steps,
) {
  const contexts = [];
  const wrong = [];
  try {
    const first = await openTab(browser, server, { ...tab, session }, wrong);
    const { page, context } = first;
    contexts.push(context);
    /** Another tab: with nobody logged in, or of the same browser. */
    const open = async ({ same = false } = {}) => {
      if (same)
        return watch(
          await context.newPage(),
          new URL(server.url).origin,
          wrong,
        );
      const other = await openTab(browser, server, tab, wrong);
      contexts.push(other.context);
      return other.page;
    };
    try {
      await steps({
        page,
        context,
        server,
        wrong,
        open,
        tab,
        options,
        visit: (more) => visit(browser, server, { session, tab }, more),
      });
      const found = await findings(contexts, server);
      assert.deepEqual([...wrong, ...found], []);
    } catch (error) {
      mkdirSync(out, { recursive: true });
      await Promise.resolve(kept(page)).catch(() => undefined);
      throw new Error(
        `${error.message}\n  at ${page.url()}\n  console: ${wrong.join("\n  ")}`,
        { cause: error },
      );
    }
  } finally {
    for (const context of contexts) await context.close();
  }
}

// What axe finds in the tabs that are open, as far as they show the application.
async function findings(contexts, server) {
  const found = [];
  for (const page of contexts.flatMap((context) => context.pages())) {
    if (
      !page.url().startsWith(`${server.url}/`) ||
      !(await page.locator('script[src^="/app/"]').count())
    )
      continue;
    await settled(page);
    found.push(
      ...(await barriers(page)).map((barrier) => `${page.url()}: ${barrier}`),
    );
  }
  return found;
}

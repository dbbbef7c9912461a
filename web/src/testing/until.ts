import { vi } from "vitest";

/**
 * Waits until `check` throws no more. The limit only ends what never comes: vi.waitFor gives up after a second, which is short on a
 * busy machine.
 */
export const until = (check: () => void) => vi.waitFor(check, 30_000);

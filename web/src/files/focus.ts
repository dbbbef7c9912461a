/** Milliseconds to wait until a list shows that something was deleted. */
const patience = 10_000;

/**
 * Moves the focus from a folder that is being deleted to the next one of its list, or to the one
 * before it, once it is gone. Does nothing if the folder stays or if something else has the focus
 * by then.
 */
export function passFocus(from: Element | null): void {
  const item = from?.closest<HTMLElement>("[data-folder], [role=treeitem]");
  if (!item) return;
  const kind = item.matches("[data-folder]")
    ? "[data-folder]"
    : `[role=treeitem][aria-level="${item.ariaLevel}"]`;
  const list = item.matches("[data-folder]")
    ? item.parentElement
    : item.parentElement?.parentElement;
  const all = [...(list?.querySelectorAll<HTMLElement>(kind) ?? [])];
  const at = all.indexOf(item);
  const heirs = [...all.slice(at + 1), ...all.slice(0, at).reverse()];

  const watcher = new MutationObserver(() => {
    const focused = document.activeElement;
    if (item.isConnected || (focused && focused !== document.body)) return;
    stop();
    heirs.find((heir) => heir.isConnected)?.focus({ preventScroll: true });
  });
  const timer = setTimeout(() => stop(), patience);
  function stop() {
    watcher.disconnect();
    clearTimeout(timer);
  }
  watcher.observe(document.body, { childList: true, subtree: true });
}

/**
 * Calls `then` when an element comes near the visible part of the page, and again in each frame in
 * which it is still near.
 */
export function inView(node: Element, then: () => void) {
  const watcher = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return;
      then();
      watcher.unobserve(node);
      requestAnimationFrame(() => watcher.observe(node)); // `then` may have left it in place
    },
    { rootMargin: "600px" },
  );
  watcher.observe(node);
  return { destroy: () => watcher.disconnect() };
}

/** Calls `then` each time an element comes near what is seen, and again as long as it stays there. */
export function inView(node: Element, then: () => void) {
  const watcher = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return;
      then();
      watcher.unobserve(node);
      requestAnimationFrame(() => watcher.observe(node)); // it may be near after what `then` has made, too
    },
    { rootMargin: "600px" },
  );
  watcher.observe(node);
  return { destroy: () => watcher.disconnect() };
}

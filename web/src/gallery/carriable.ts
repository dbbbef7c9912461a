import type { carry } from "./carry";

/**
 * Lets files or folders be dragged with a finger by `carry`, which is loaded on touch devices only.
 * If it does not load, they can still be moved by their menu.
 */
export function carriable(
  node: HTMLElement,
  loadOf: Parameters<typeof carry>[1],
) {
  let carried: ReturnType<typeof carry> | undefined;
  let gone = false;
  if (navigator.maxTouchPoints)
    import("./carry").then(
      ({ carry }) => gone || (carried = carry(node, loadOf)),
      () => {},
    );
  return {
    update(next: typeof loadOf) {
      loadOf = next;
      carried?.update(next);
    },
    destroy() {
      gone = true;
      carried?.destroy();
    },
  };
}

import type { carry } from "./carry";

/**
 * Lets a finger carry files or folders, as `carry` does, which is loaded where there are fingers. If it does not load,
 * things are moved by their menu.
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

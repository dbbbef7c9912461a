/** Milliseconds that a finger must stay for a long press. */
export const patience = 450;
/** Pixels that the finger may move meanwhile. */
export const slack = 8;

/** Calls `then` after a long press, and suppresses the click that follows. */
export function longPress(
  node: HTMLElement,
  then: (event: PointerEvent) => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let at = { x: 0, y: 0 };
  let pressed = false;
  const stop = () => clearTimeout(timer);
  const down = (event: PointerEvent) => {
    pressed = false;
    if (event.pointerType === "mouse") return;
    at = { x: event.clientX, y: event.clientY };
    stop();
    timer = setTimeout(() => {
      pressed = true;
      navigator.vibrate?.(10);
      then(event);
    }, patience);
  };
  const move = (event: PointerEvent) => {
    if (Math.hypot(event.clientX - at.x, event.clientY - at.y) > slack) stop();
  };
  const click = (event: MouseEvent) => {
    if (!pressed) return;
    pressed = false;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // Otherwise the browser would click what is under the finger now, such as an item of the menu that just
  // opened.
  const end = (event: Event) => {
    if (!pressed) return;
    pressed = false;
    event.preventDefault();
  };
  // Android opens a context menu for the same long press, a moment later.
  const menu = (event: Event) => {
    if (!pressed) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const listeners = [
    ["pointerdown", down],
    ["pointermove", move],
    ["pointerup", stop],
    ["pointercancel", stop],
    ["touchend", end],
    ["contextmenu", menu],
  ] as const;
  for (const [name, listener] of listeners)
    node.addEventListener(name, listener as EventListener);
  node.addEventListener("click", click, true);
  return {
    update: (next: typeof then) => void (then = next),
    destroy() {
      stop();
      for (const [name, listener] of listeners)
        node.removeEventListener(name, listener as EventListener);
      node.removeEventListener("click", click, true);
    },
  };
}

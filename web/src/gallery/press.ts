/** Milliseconds that a finger stays on something until that counts. */
export const patience = 450;
/** Pixels that a finger moves while it stays. */
export const slack = 8;

/** Calls `then` when a finger stays on something, and keeps the click that follows from counting. */
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
  // Without it the browser clicks on what is under the finger by now, such as a line of the menu that has just opened.
  const end = (event: Event) => {
    if (!pressed) return;
    pressed = false;
    event.preventDefault();
  };
  // Android opens a menu for the same long press, a moment later.
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

import { manage } from "../files/manage.svelte";
import { reachAt, type Source } from "./drag.svelte";
import { patience, slack } from "./press";

/** Width in pixels of the zone at the left and right edge of the window in which a row of folders scrolls. */
const edge = 56;

const scrollsSideways = (node: Element) =>
  node.scrollWidth > node.clientWidth + 1 &&
  /auto|scroll/.test(getComputedStyle(node).overflowX);

/** What is dragged with a finger, and the label shown beside it. */
export type Load = Source & { label: string };

/**
 * Lets files or folders be dragged to a folder with a finger: a long press, as for a menu, then a
 * movement. `loadOf` returns what is dragged; null for nothing. The browser's native touch drag is
 * prevented, because on some devices it needs a pointer.
 */
export function carry(
  node: HTMLElement,
  loadOf: (event: TouchEvent) => Load | null,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let load: Load | null = null;
  let from = { x: 0, y: 0 };
  let lifted = false;
  let touched = false;
  let ghost: HTMLElement | null = null;
  let reach: ReturnType<typeof reachAt> = null;
  let row: Element | undefined;
  let scrolls = 0;

  const aim = (to: ReturnType<typeof reachAt>) => {
    if (to !== reach) reach?.leave();
    reach = to;
    reach?.over();
  };
  const stop = () => {
    clearTimeout(timer);
    cancelAnimationFrame(scrolls);
    aim(null);
    ghost?.remove();
    ghost = load = null;
    lifted = false;
  };
  const start = (event: TouchEvent) => {
    touched = true;
    stop();
    const [touch] = event.touches;
    if (!touch || event.touches.length > 1) return;
    load = loadOf(event);
    from = { x: touch.clientX, y: touch.clientY };
    if (load) timer = setTimeout(() => (lifted = true), patience);
  };
  const begin = () => {
    manage.end(manage.asked); // the menu that the same long press opened
    ghost = document.createElement("div");
    ghost.className = "carried";
    ghost.textContent = load!.label;
    document.body.append(ghost);
  };
  const move = (event: TouchEvent) => {
    const [touch] = event.touches;
    if (!load || !touch) return;
    const { clientX: x, clientY: y } = touch;
    const far = Math.hypot(x - from.x, y - from.y) > slack;
    if (!lifted) return far ? stop() : undefined; // a movement without a long press scrolls the page
    event.preventDefault();
    if (!ghost && far) begin();
    if (!ghost) return;
    ghost.style.transform = `translate(${x}px, ${y}px) translate(-50%, -150%)`;
    aim(reachAt(x, y, load));
    cancelAnimationFrame(scrolls);
    const way = x < edge ? -1 : x > innerWidth - edge ? 1 : 0;
    if (!way) return;
    row = document.elementsFromPoint(x, y).find(scrollsSideways);
    if (row) scroll(way);
  };
  const scroll = (way: number) => {
    row?.scrollBy(way * 6, 0);
    scrolls = requestAnimationFrame(() => scroll(way));
  };
  const end = (event: TouchEvent) => {
    const [what, to] = [load, ghost && reach];
    if (ghost) event.preventDefault(); // suppress the click
    stop();
    if (what && to)
      void manage.relocate(what.paths, to.folder(), false, what.host ?? {});
  };
  // With a mouse, the browser's native drag is used.
  const drag = (event: DragEvent) => touched && event.preventDefault();
  const point = (event: PointerEvent) =>
    void (touched = event.pointerType === "touch");
  const listeners: [string, unknown, AddEventListenerOptions][] = [
    ["touchstart", start, { passive: true }],
    ["touchmove", move, { passive: false }],
    ["touchend", end, { passive: false }],
    ["touchcancel", stop, {}],
    ["pointerdown", point, {}],
    ["dragstart", drag, { capture: true }],
  ];
  for (const [name, listener, options] of listeners)
    node.addEventListener(name, listener as EventListener, options);
  return {
    update: (next: typeof loadOf) => void (loadOf = next),
    destroy() {
      stop();
      for (const [name, listener, options] of listeners)
        node.removeEventListener(name, listener as EventListener, options);
    },
  };
}

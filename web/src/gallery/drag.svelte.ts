import { filesOf } from "../uploads/pick";
import { uploads } from "../uploads/uploads.svelte";
import { manage, type Host } from "../files/manage.svelte";
import { tellError } from "./actions";
import { movable } from "./folders.svelte";

const kind = "application/x-safelight";
/** Milliseconds after which a closed folder opens under a drag. */
const opening = 700;

export type Source = { paths: readonly string[]; host?: Host };

// The items dragged within this window. A page cannot read the data of a drag before the drop.
let dragged: Source | null = null;

/** Begins dragging files or folders; `image` follows the pointer. */
export function startDrag(
  event: DragEvent,
  source: Source,
  image?: Element,
): void {
  dragged = source;
  event.dataTransfer!.effectAllowed = "copyMove";
  event.dataTransfer!.setData(kind, source.paths.join("\n"));
  if (image) event.dataTransfer!.setDragImage(image, -12, -8);
}

/** Ends a drag. */
export const endDrag = () => void (dragged = null);

type Target = { folder: string; enabled: boolean; open?: () => void };

/** A folder as a target of a drag with a finger. */
type Reach = { over: () => void; leave: () => void; folder: () => string };
const reaches = new WeakMap<Element, Reach>();

/** The nearest folder at a position in the window that accepts `source`; null if there is none. */
export function reachAt(x: number, y: number, source: Source): Reach | null {
  for (const element of document.elementsFromPoint(x, y)) {
    const reach = reaches.get(element);
    if (reach && movable(source.paths, reach.folder()).length) return reach;
  }
  return null;
}

/**
 * Lets files of the gallery be dropped on an element to move them into a folder, or to copy them
 * with Ctrl or Alt, and lets files of the desktop be uploaded.
 */
export function dropTarget(node: HTMLElement, target: Target) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const takes = (event: DragEvent) =>
    target.enabled &&
    (dragged
      ? movable(dragged.paths, target.folder).length > 0
      : (event.dataTransfer?.types.includes("Files") ?? false));
  const leave = () => {
    delete node.dataset.drop;
    clearTimeout(timer);
    timer = undefined;
  };
  const enter = () => {
    node.dataset.drop = "";
    timer ??= setTimeout(() => target.open?.(), opening);
  };
  const over = (event: DragEvent) => {
    if (!takes(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect =
      !dragged || event.ctrlKey || event.altKey ? "copy" : "move";
    enter();
  };
  const left = (event: DragEvent) =>
    node.contains(event.relatedTarget as Node | null) || leave();
  const drop = (event: DragEvent) => {
    leave();
    if (!takes(event)) return;
    event.preventDefault();
    const source = dragged;
    const copies = event.ctrlKey || event.altKey;
    if (source)
      void manage.relocate(
        source.paths,
        target.folder,
        copies,
        source.host ?? {},
      );
    else
      uploads
        .addLater(target.folder, filesOf(event.dataTransfer!))
        .catch(tellError);
  };
  const listeners = [
    ["dragover", over],
    ["dragleave", left],
    ["drop", drop],
  ] as const;
  for (const [name, listener] of listeners)
    node.addEventListener(name, listener as EventListener);
  const allow = () =>
    target.enabled
      ? reaches.set(node, { over: enter, leave, folder: () => target.folder })
      : reaches.delete(node);
  allow();
  return {
    update(next: Target) {
      target = next;
      allow();
    },
    destroy() {
      leave();
      reaches.delete(node);
      for (const [name, listener] of listeners)
        node.removeEventListener(name, listener as EventListener);
    },
  };
}

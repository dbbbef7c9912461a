import { filesOf } from "../uploads/pick";
import { uploads } from "../uploads/uploads.svelte";
import { copy, move, tellError } from "./actions";
import { folders, parentOf } from "./folders.svelte";

const kind = "application/x-safelight";
/** Milliseconds over a closed folder after which it opens. */
const patience = 700;

type Source = {
  paths: readonly string[];
  /** Called with the paths that went away. */
  moved?: (gone: ReadonlySet<string>) => void;
  /** Called after an undo. */
  undone?: () => void;
};

// What is dragged inside this window: a page may read the data of a drag only when it ends.
let dragged: Source | null = null;

/** Begins to drag files or folders; `image` is what follows the pointer. */
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

/** Nothing is dragged any longer. */
export const endDrag = () => void (dragged = null);

/** The paths that dropping into a folder would move: not those that are there, and no folder into itself. */
export function movable(paths: readonly string[], folder: string): string[] {
  return paths.filter(
    (path) =>
      parentOf(path) !== folder &&
      folder !== path &&
      !folder.startsWith(`${path}/`),
  );
}

type Target = { folder: string; enabled: boolean; open?: () => void };

/** Lets files of the gallery be moved into a folder by dropping them here, copied with Ctrl or Alt, and files of the desktop be uploaded. */
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
  const over = (event: DragEvent) => {
    if (!takes(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect =
      !dragged || event.ctrlKey || event.altKey ? "copy" : "move";
    node.dataset.drop = "";
    timer ??= setTimeout(() => target.open?.(), patience);
  };
  const left = (event: DragEvent) =>
    node.contains(event.relatedTarget as Node | null) || leave();
  const drop = (event: DragEvent) => {
    leave();
    if (!takes(event)) return;
    event.preventDefault();
    const source = dragged;
    if (source) void put(source, target.folder, event.ctrlKey || event.altKey);
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
  return {
    update: (next: Target) => void (target = next),
    destroy() {
      leave();
      for (const [name, listener] of listeners)
        node.removeEventListener(name, listener as EventListener);
    },
  };
}

async function put(
  source: Source,
  folder: string,
  copies: boolean,
): Promise<void> {
  const paths = copies ? [...source.paths] : movable(source.paths, folder);
  try {
    if (copies) await copy(paths, folder);
    else
      source.moved?.(
        await move(paths, folder, source.undone ?? (() => undefined)),
      );
    for (const home of new Set([folder, ...paths.map(parentOf)]))
      void folders.reload(home).catch(() => undefined);
  } catch (error) {
    tellError(error);
  }
}

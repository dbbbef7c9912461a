import { SvelteMap } from "svelte/reactivity";
import { fromAddress, insideOf, toAddress } from "./address";
import type { ExportSize } from "./exports";
import type { Point } from "./focal";
import { History } from "./history.svelte";
import { layersOf } from "./layers";
import { levelsOf, rebuild, type Level } from "./nesting";
import { format, same } from "./format";
import type { Operations } from "./operations";
import type { Size } from "./size";

export type Panel =
  "crop" | "size" | "adjust" | "detail" | "frame" | "layers" | "output";

/**
 * The state of the editor: one picture, its document with history, and the selection. The current
 * level is the whole picture or one of its layers, which is a document too; controls read and
 * change only the current level.
 */
export class Editing {
  readonly history: History;
  panel = $state<Panel>("adjust");
  /** The index of the selected layer in the list of filters; -1 if none is selected. */
  chosen = $state(-1);
  /** The `blob:` URL of the newest rendered result; empty before the first one. */
  rendered = $state("");
  /** The focal point saved with the file; null if it has none. */
  focal: Point | null = null;
  /** The sizes to export; null until their dialog has been opened. */
  exportSizes = $state<ExportSize[] | null>(null);
  /**
   * Focal points that belong to single sizes. They apply to this picture and last until the
   * editor is closed.
   */
  readonly ownPoints = new SvelteMap<ExportSize, Point>();
  /** The text size of single sizes, in percent; sizes with 100 are absent. */
  readonly ownTexts = new SvelteMap<ExportSize, number>();
  /** Whether the focal point is being set on the whole picture. */
  pointing = $state(false);
  /** Whether the picture is being straightened, with a grid over it. */
  leveling = $state(false);
  #saved = $state.raw<Operations>()!;
  #inside = $state.raw<readonly number[]>([]);
  #sizes = $state.raw<Readonly<Record<string, Size>>>({});
  #walk = $derived.by(() =>
    levelsOf(this.root, this.image, this.whole, this.#inside, this.#sizes),
  );

  constructor(
    /** The path in the storage. */
    readonly file: string,
    /** The path as it is written in the URL. */
    readonly image: string,
    /** The size of the upright file, in pixels. */
    readonly whole: Size,
    query: Pick<URLSearchParams, "get">,
    /** The value of `saved` before the page was reloaded; by default the opened document counts as saved. */
    saved?: string,
  ) {
    this.history = new History(fromAddress(query));
    this.#saved =
      saved === undefined
        ? this.history.operations
        : fromAddress(new URLSearchParams({ p: saved }));
    this.#inside = insideOf(query);
    if (this.#inside.length) this.panel = "layers";
  }

  /** The document of the whole picture. */
  get root(): Operations {
    return this.history.operations;
  }
  /** The document and the open layers, outermost first. */
  get levels(): Level[] {
    return this.#walk.levels;
  }
  get level(): Level {
    return this.levels.at(-1)!;
  }
  get nested(): boolean {
    return this.levels.length > 1;
  }
  /** The picture whose size must be known before its layer can be opened; empty if there is none. */
  get missing(): string {
    return this.#walk.missing;
  }
  get operations(): Operations {
    return this.level.operations;
  }
  /** The size of the upright picture that is being edited, in pixels. */
  get source(): Size {
    return this.level.source;
  }
  /** The approximate size of its result. */
  get size(): Size {
    return this.level.size;
  }
  /** The operations and the image: the part of the URL after the signature. */
  get path(): string {
    return format(this.root) + this.image;
  }
  get address() {
    return toAddress(
      this.root,
      this.missing
        ? this.#inside
        : this.#inside.slice(0, this.levels.length - 1),
    );
  }
  get layers() {
    return layersOf(this.operations);
  }
  get layer() {
    return this.layers.find((layer) => layer.at === this.chosen);
  }
  /** The saved document, as written in the URL. */
  get saved(): string {
    return toAddress(this.#saved).p ?? "";
  }
  get dirty(): boolean {
    return !same(this.#saved, this.root);
  }
  /**
   * Remembers the current document. Calling the returned function marks it as saved; later
   * changes stay unsaved.
   */
  saving(): () => void {
    const now = this.root;
    return () => void (this.#saved = now);
  }
  /** Changes the current level. Changes with the same key in quick succession become one history step. */
  change(operations: Operations, key = ""): void {
    this.history.change(
      rebuild(this.levels, operations),
      key && [...this.#inside, key].join("."),
    );
  }
  /** Replaces the whole document. */
  changeRoot(operations: Operations, key = ""): void {
    this.history.change(operations, key);
    this.#trim();
  }
  /** Opens a layer, so that its own operations are edited. */
  enter(at: number): void {
    this.#inside = [...this.#inside.slice(0, this.levels.length - 1), at];
    this.chosen = -1;
    this.panel = "layers";
  }
  /** Returns to a level, 0 being the whole picture, and selects the layer that was left. */
  leave(to: number): void {
    if (to >= this.levels.length - 1) return;
    this.chosen = this.#inside[to] ?? -1;
    this.#inside = this.#inside.slice(0, to);
    this.panel = "layers";
  }
  /** Closes layers that no longer exist, for example after an undo. */
  settle(): void {
    this.chosen = -1;
    this.#trim();
  }
  #trim(): void {
    if (!this.missing)
      this.#inside = this.#inside.slice(0, this.levels.length - 1);
  }
  /**
   * Sets the size of a picture; null if the size cannot be determined, in which case the layer is
   * not opened.
   */
  sized(image: string, size: Size | null): void {
    if (size) this.#sizes = { ...this.#sizes, [image]: size };
    else this.#inside = this.#inside.slice(0, this.levels.length - 1);
  }
}

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
 * What is edited: one picture, its document with history, and what is chosen in it. One is in the whole picture or in one of its
 * layers, which is a document too; controls read and change only that one.
 */
export class Editing {
  readonly history: History;
  panel = $state<Panel>("adjust");
  /** The place of the chosen layer in the list of filters; -1 without one. */
  chosen = $state(-1);
  /** The address of the newest picture of the result; empty before the first. */
  rendered = $state("");
  /** The focal point that is saved with the file; null without one. */
  focal: Point | null = null;
  /** The sizes to export, once somebody has opened their dialog. */
  exportSizes = $state<ExportSize[] | null>(null);
  /** The focal points that sizes have of their own. They belong to this picture and stay while the editor is open. */
  readonly ownPoints = new SvelteMap<ExportSize, Point>();
  /** How large the text of sizes is in percent, where that is not 100. */
  readonly ownTexts = new SvelteMap<ExportSize, number>();
  /** The focal point is being set on the whole picture. */
  pointing = $state(false);
  /** The picture is being straightened: a grid lies over it. */
  leveling = $state(false);
  #saved = $state.raw<Operations>()!;
  #inside = $state.raw<readonly number[]>([]);
  #sizes = $state.raw<Readonly<Record<string, Size>>>({});
  #walk = $derived.by(() =>
    levelsOf(this.root, this.image, this.whole, this.#inside, this.#sizes),
  );

  constructor(
    /** Path in the storage. */
    readonly file: string,
    /** The path as the URL has it. */
    readonly image: string,
    /** The size of the file, in pixels, upright. */
    readonly whole: Size,
    query: Pick<URLSearchParams, "get">,
    /** What `saved` said before the page was loaded again; by default what is opened counts as saved. */
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
  /** The document and the layers that one is in, outermost first. */
  get levels(): Level[] {
    return this.#walk.levels;
  }
  get level(): Level {
    return this.levels.at(-1)!;
  }
  get nested(): boolean {
    return this.levels.length > 1;
  }
  /** A picture whose size has to be known before its layer can be entered. */
  get missing(): string {
    return this.#walk.missing;
  }
  get operations(): Operations {
    return this.level.operations;
  }
  /** The size of the picture that is edited, in pixels, upright. */
  get source(): Size {
    return this.level.source;
  }
  /** About the size of its result. */
  get size(): Size {
    return this.level.size;
  }
  /** The operations and the image: what stands after the signature. */
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
  /** The document that is saved, as the address has it. */
  get saved(): string {
    return toAddress(this.#saved).p ?? "";
  }
  get dirty(): boolean {
    return !same(this.#saved, this.root);
  }
  /** Notes what is saved now. The returned function says that it is kept; what changed meanwhile is not. */
  saving(): () => void {
    const now = this.root;
    return () => void (this.#saved = now);
  }
  /** Makes a change; those with one key that follow each other closely are one step. */
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
  /** Goes into a layer: its own operations are edited then. */
  enter(at: number): void {
    this.#inside = [...this.#inside.slice(0, this.levels.length - 1), at];
    this.chosen = -1;
    this.panel = "layers";
  }
  /** Goes back to a level; 0 is the whole picture. The layer that one was in is chosen. */
  leave(to: number): void {
    if (to >= this.levels.length - 1) return;
    this.chosen = this.#inside[to] ?? -1;
    this.#inside = this.#inside.slice(0, to);
    this.panel = "layers";
  }
  /** Forgets layers that are not there any more, as after an undo. */
  settle(): void {
    this.chosen = -1;
    this.#trim();
  }
  #trim(): void {
    if (!this.missing)
      this.#inside = this.#inside.slice(0, this.levels.length - 1);
  }
  /** Says how large a picture is; null when that cannot be known, and it is not entered then. */
  sized(image: string, size: Size | null): void {
    if (size) this.#sizes = { ...this.#sizes, [image]: size };
    else this.#inside = this.#inside.slice(0, this.levels.length - 1);
  }
}

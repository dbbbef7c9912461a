import { Selection, type Manner, type Path } from "../gallery/selection.svelte";

/** A selection of at most one file, regardless of modifier keys. */
export class Single extends Selection {
  override async select(
    index: number,
    path: Path,
    _manner: Manner,
    between: (from: number, to: number) => Promise<string[]>,
  ): Promise<void> {
    if (typeof path === "string" && this.paths.has(path)) return this.clear();
    await super.select(index, path, "only", between);
  }
  override draw(): void {}
  override async all(list: Promise<readonly string[]>): Promise<void> {
    this.clear();
    await super.all(list.then((paths) => paths.slice(0, 1)));
  }
}

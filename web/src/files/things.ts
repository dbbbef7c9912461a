import type { Tile } from "../gallery/pages.svelte";
import { formatBytes, formatDate } from "../messages/format";
import type { Thing } from "./manage.svelte";

/** The Thing for a picture of a grid or a list. */
export function thingOf(tile: Tile): Thing {
  const { path, small, format, width, height, size } = tile;
  const about = [
    width ? `${width} × ${height}` : "",
    formatBytes(size),
    formatDate(tile.takenAt ?? tile.modifiedAt),
  ];
  return {
    path,
    isFolder: false,
    small,
    about: about.filter(Boolean).join(", "),
    isPicture: format !== null,
  };
}

/** Things for files of which only the path is known. */
export const filesAt = (paths: Iterable<string>): Thing[] =>
  [...paths].map((path) => ({ path, isFolder: false }));

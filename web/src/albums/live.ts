import { follow } from "../api/stream";
import { SharedStream } from "../live/shared";
import { AlbumChanges } from "./documents";

/** Notifies that an album, or any album if the id is null, has to be reloaded. */
export const albumChanges = (id: string | null) =>
  new SharedStream<string | null>(`album-${id ?? "all"}`, async function* (
    signal,
  ) {
    for await (const { albumChanges: change } of follow(
      AlbumChanges,
      { id },
      signal,
    ))
      if (change) yield change.albumId ?? null;
  });

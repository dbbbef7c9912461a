import { follow } from "../api/stream";
import { SharedStream } from "../live/shared";
import { AlbumChanges } from "./documents";

/** Tells that an album, or any of them without an id, has to be read again. */
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

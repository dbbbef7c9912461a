import type {
  CreateAlbumInput,
  MoveInAlbumInput,
  UpdateAlbumInput,
} from "../api/graphql";
import { request } from "../api/request";
import { run, type Before, type Change, type Result } from "../files/bulk";
import { progressOf } from "../files/changes";
import { t } from "../messages/index.svelte";
import { navigate } from "../router/router.svelte";
import {
  AddToAlbum,
  AlbumPlaces,
  CreateAlbum,
  DeleteAlbum,
  MoveInAlbum,
  RemoveFromAlbum,
  UpdateAlbum,
} from "./documents";

/** Creates an album. Throws ApiError. */
export async function createAlbum(
  input: CreateAlbumInput,
): Promise<{ id: string; title: string }> {
  const { createAlbum: made } = await request(CreateAlbum, { input });
  return made!.album!;
}

/** Changes an album. Throws ApiError. */
export async function updateAlbum(input: UpdateAlbumInput): Promise<void> {
  await request(UpdateAlbum, { input });
}

/** Deletes an album; its files stay. Throws ApiError. */
export async function deleteAlbum(id: string): Promise<void> {
  await request(DeleteAlbum, { input: { id } });
}

/** Appends files to an album. Toasts report the result. */
export async function addToAlbum(
  { id, title }: { id: string; title: string },
  paths: readonly string[],
): Promise<void> {
  const ask = async (part: string[]) =>
    (await request(AddToAlbum, { input: { id, paths: part } })).addToAlbum;
  await run({
    steps: [{ items: paths, ask }],
    repeatable: true,
    progress: progressOf("bulk.adding"),
    done: ({ length }) => t("album.added", { n: length, name: title }),
    offer: { label: t("album.show"), run: () => navigate(`/a/${id}`) },
  });
}

/**
 * Removes files from an album. Returns the removed paths. Toasts report the result and offer an
 * undo, which restores their positions; `undone` is called after that.
 */
export async function removeFromAlbum(
  id: string,
  paths: readonly string[],
  undone: () => void,
): Promise<string[]> {
  const ask = async (part: string[]) =>
    (await request(RemoveFromAlbum, { input: { id, paths: part } }))
      .removeFromAlbum;
  const removed = await run({
    steps: [
      {
        items: paths,
        ask,
        before: (part) => placesIn(id, part),
        found: async (gone, before) =>
          gone
            .filter((item) => before.has(item))
            .map((item) => ({ item, ok: true })),
      },
    ],
    repeatable: true,
    progress: progressOf("bulk.removing"),
    done: ({ length }) => t("album.removed", { n: length }),
    back: (results) => putBack(id, results),
    undone,
  });
  return removed.map(({ item }) => item);
}

/** The positions of files in an album; files that are not in it are absent. */
async function placesIn(
  id: string,
  paths: string[],
): Promise<Map<string, Before>> {
  const { album } = await request(AlbumPlaces, { id, paths });
  const places = album?.places ?? [];
  return new Map(
    paths.flatMap((path, i) =>
      places[i] ? [[path, { place: places[i] }] as const] : [],
    ),
  );
}

/** The change that returns files to their positions in an album. */
function putBack(id: string, results: readonly Result[]): Change {
  const places = new Map(
    results.flatMap(({ item, before }) =>
      before?.place ? [[item, before.place] as const] : [],
    ),
  );
  const ask = async (paths: string[]) => {
    const input = { id, paths, places: paths.map((path) => places.get(path)!) };
    return (await request(AddToAlbum, { input })).addToAlbum;
  };
  return {
    steps: [{ items: [...places.keys()], ask }],
    repeatable: true,
    progress: progressOf("bulk.undoing"),
  };
}

/** Moves files within an album. Throws ApiError. */
export async function moveInAlbum(input: MoveInAlbumInput): Promise<void> {
  await request(MoveInAlbum, { input });
}

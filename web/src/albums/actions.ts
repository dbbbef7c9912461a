import type {
  CreateAlbumInput,
  MoveInAlbumInput,
  UpdateAlbumInput,
} from "../api/graphql";
import { refuse, request } from "../api/request";
import { inBatches } from "../gallery/actions";
import {
  AddToAlbum,
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
  refuse(made?.userErrors ?? []);
  return made!.album!;
}

/** Changes an album. Throws ApiError. */
export async function updateAlbum(input: UpdateAlbumInput): Promise<void> {
  const { updateAlbum: done } = await request(UpdateAlbum, { input });
  refuse(done?.userErrors ?? []);
}

/** Deletes an album; its files stay. Throws ApiError. */
export async function deleteAlbum(id: string): Promise<void> {
  const { deleteAlbum: done } = await request(DeleteAlbum, { input: { id } });
  refuse(done?.userErrors ?? []);
}

/** Adds files at the end of an album. Returns how many are in it now. */
export async function addToAlbum(
  id: string,
  paths: readonly string[],
): Promise<number> {
  const added = await inBatches(
    paths,
    async (part) =>
      (await request(AddToAlbum, { input: { id, paths: part } })).addToAlbum,
  );
  return added.length;
}

/** Takes files out of an album. Returns the paths of those that are gone from it. */
export async function removeFromAlbum(
  id: string,
  paths: readonly string[],
): Promise<Set<string>> {
  const removed = await inBatches(
    paths,
    async (part) =>
      (await request(RemoveFromAlbum, { input: { id, paths: part } }))
        .removeFromAlbum,
  );
  return new Set(removed.map(({ item }) => item));
}

/** Moves files within an album. Throws ApiError. */
export async function moveInAlbum(input: MoveInAlbumInput): Promise<void> {
  const { moveInAlbum: done } = await request(MoveInAlbum, { input });
  refuse(done?.userErrors ?? []);
}

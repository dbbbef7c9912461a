import { request, type ApiError } from "../api/request";
import { thumbFilters } from "../ui/motion";
import { isShowable } from "../viewer/pages";
import { FolderFaces } from "./documents";

/** What a card shows of a folder: its number of files, and URLs of up to four of its newest pictures. */
export type Face = { count: number; thumbs: string[] };

/** Milliseconds for which requests of cards are collected into one. */
const gathering = 20;
/** The maximum number of folders in a request. */
const most = 25;

type Asking = {
  id: string;
  resolve: (face: Face | null) => void;
  reject: (error: unknown) => void;
};

const waiting = new Map<number, Asking[]>();

/** Loads the face of a folder by its id, with pictures of a given size; null if the folder does not exist. */
export function faceOf(id: string, size: number): Promise<Face | null> {
  return new Promise((resolve, reject) => {
    const others = waiting.get(size);
    if (others) return void others.push({ id, resolve, reject });
    waiting.set(size, [{ id, resolve, reject }]);
    setTimeout(() => send(size), gathering);
  });
}

function send(size: number): void {
  const all = waiting.get(size) ?? [];
  waiting.delete(size);
  for (let at = 0; at < all.length; at += most)
    void ask(all.slice(at, at + most), size);
}

async function ask(cards: readonly Asking[], size: number): Promise<void> {
  const ids = [...new Set(cards.map(({ id }) => id))];
  try {
    const { foldersById } = await request(FolderFaces, {
      ids,
      size,
      shown: thumbFilters(),
    });
    const faces = new Map(
      foldersById?.map(({ id, fileCount, files }): [string, Face] => {
        const shown = (files?.nodes ?? []).filter(isShowable);
        const thumbs = shown.flatMap(({ thumb }) => thumb ?? []).slice(0, 4);
        return [id, { count: fileCount ?? 0, thumbs }];
      }),
    );
    for (const { id, resolve } of cards) resolve(faces.get(id) ?? null);
  } catch (error) {
    // A single folder may cause the error: the others are requested again without it.
    const { code, retryAfter } = error as Partial<ApiError>;
    if (ids.length > 1 && code !== "OFFLINE" && retryAfter === undefined)
      return void ids.forEach((id) =>
        ask(
          cards.filter((card) => card.id === id),
          size,
        ),
      );
    for (const { reject } of cards) reject(error);
  }
}

import { ApiError, errorOf, post, type ErrorBody } from "../api/transport";
import { t } from "../messages/index.svelte";

/** What a share link says of itself. */
export type Opened = {
  name: string;
  /** Of an album; empty for none. */
  description: string;
  kind: "folder" | "files" | "album";
  expiresAt: string | null;
  downloads: "none" | "renditions" | "originals";
  pictures: number;
  /** Bytes that may still be added; null where visitors add nothing. */
  uploadBytes: number | null;
};
export type Picture = {
  id: string;
  name: string;
  width: number | null;
  height: number | null;
  thumbHash: string | null;
  color: string | null;
  size: number | null;
  version: string;
};
export type Inside = { name: string; path: string };

/** The route of everything that a link leads to. */
export const linkOf = (key: string): string => `/s/${encodeURIComponent(key)}`;

/** The address of a picture in one of the sizes of the server. It changes with the file. */
export const pictureOf = (
  key: string,
  { id, version }: Picture,
  size: "small" | "medium" | "large" | "jpeg" | "original",
): string =>
  `${linkOf(key)}/files/${encodeURIComponent(id)}/${size}?v=${encodeURIComponent(version)}`;

/** Begins or continues a visit. UNAUTHENTICATED asks for the password, LOGIN_FAILED says that it is wrong. */
export const open = (
  key: string,
  password: string,
  signal?: AbortSignal,
): Promise<Opened> =>
  post<Opened>(
    linkOf(key),
    { password: password || null },
    { cookies: true, signal },
  );

async function ask<R>(path: string, signal?: AbortSignal): Promise<R> {
  let response: Response;
  try {
    response = await fetch(path, {
      headers: { Accept: "application/json" },
      signal,
      credentials: "same-origin",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("OFFLINE", t("error.offline"));
  }
  const answer: unknown = await response.json().catch(() => ({}));
  if (!response.ok) throw errorOf(response, answer as ErrorBody);
  return answer as R;
}

const query = (folder: string, after: string | null) =>
  `?${new URLSearchParams({ folder, ...(after ? { after } : {}) }).toString()}`;

/** A page of the pictures of a folder within the shared one. */
export const picturesOf = (
  key: string,
  folder: string,
  after: string | null,
  signal?: AbortSignal,
) =>
  ask<{ files: Picture[]; next: string | null }>(
    `${linkOf(key)}/files${query(folder, after)}`,
    signal,
  );

/** A page of the folders in a folder within the shared one. */
export const foldersOf = (
  key: string,
  folder: string,
  after: string | null,
  signal?: AbortSignal,
) =>
  ask<{ folders: Inside[]; next: string | null }>(
    `${linkOf(key)}/folders${query(folder, after)}`,
    signal,
  );

/** Adds a file to a folder within the shared one; `progress` gets the part that has been sent, 0 to 1. */
export function add(
  key: string,
  folder: string,
  file: File,
  progress: (part: number) => void,
): Promise<void> {
  return new Promise((done, fail) => {
    const sending = new XMLHttpRequest();
    const to = new URLSearchParams({ folder, name: file.name });
    sending.open("PUT", `${linkOf(key)}/uploads?${to.toString()}`);
    sending.responseType = "json";
    sending.upload.onprogress = ({ loaded, total }) =>
      progress(total ? loaded / total : 0);
    sending.onload = () => {
      if (sending.status === 201) return done();
      const body = (sending.response ?? {}) as ErrorBody;
      fail(new ApiError(body.error ?? "INTERNAL", body.message ?? ""));
    };
    sending.onerror = () => fail(new ApiError("OFFLINE", t("error.offline")));
    sending.send(file);
  });
}

import { ApiError, errorOf, post, type ErrorBody } from "../api/transport";
import { t } from "../messages/index.svelte";

/** The description of a share link. */
export type Opened = {
  name: string;
  /** The description of an album; empty if there is none. */
  description: string;
  kind: "folder" | "files" | "album";
  expiresAt: string | null;
  downloads: "none" | "renditions" | "originals";
  pictures: number;
  /** Bytes that may still be added; null if visitors may not add files. */
  uploadBytes: number | null;
  /** Whether visitors may comment, pick and rate. */
  feedback: boolean;
  /** This visitor's name; null if they have not entered one. */
  reviewer: string | null;
};
export type Choice = "none" | "picked" | "rejected";
/** This visitor's feedback on a picture, and its number of comments. */
export type Feedback = { choice: Choice; rating: number; comments: number };
/** The feedback by which pictures of all folders are filtered; empty to show a folder. */
export type Show = "" | "picked" | "rejected" | "commented";
/** The number of pictures of each kind, up to 1000. */
export type Counts = Record<Exclude<Show, "">, number>;
/** Feedback that a visitor wants to give. Visitors without a name are asked for one first. */
export type Wish = {
  /** The id of the picture. */
  id: string;
  change: Partial<Feedback>;
  /** Whether it was given in the grid and not in the viewer. */
  inGrid?: boolean;
};
export type Comment = {
  id: string;
  name: string;
  text: string;
  x: number | null;
  y: number | null;
  createdAt: string;
  mine: boolean;
};
export type Point = { x: number; y: number };
export type Picture = {
  id: string;
  name: string;
  width: number | null;
  height: number | null;
  thumbHash: string | null;
  color: string | null;
  size: number | null;
  version: string;
  feedback: Feedback | null;
};
export type Inside = { name: string; path: string };

/** The base route of a link. */
export const linkOf = (key: string): string => `/s/${encodeURIComponent(key)}`;

/** The URL of a picture in one of the server's sizes. It changes with the file. */
export const pictureOf = (
  key: string,
  { id, version }: Picture,
  size: "small" | "medium" | "large" | "jpeg" | "original",
): string =>
  `${linkOf(key)}/files/${encodeURIComponent(id)}/${size}?v=${encodeURIComponent(version)}`;

/**
 * Starts or continues a visit. Fails with UNAUTHENTICATED if a password is needed, and with
 * LOGIN_FAILED if it is wrong.
 */
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

async function ask<R>(
  path: string,
  signal?: AbortSignal,
  method = "GET",
  body?: object,
): Promise<R> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        Accept: "application/json",
        ...(body ? { "Content-Type": "application/json" } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
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

const query = (
  where: { folder: string } | { show: string },
  after: string | null,
) =>
  `?${new URLSearchParams({ ...where, ...(after ? { after } : {}) }).toString()}`;

/** A page of the pictures of a folder within the shared one, or of those filtered by their feedback. */
export const picturesOf = (
  key: string,
  folder: string,
  show: Show,
  after: string | null,
  signal?: AbortSignal,
) =>
  ask<{ files: Picture[]; next: string | null }>(
    `${linkOf(key)}/files${query(show ? { show } : { folder }, after)}`,
    signal,
  );

/** The number of pictures that this visitor picked and rejected, and of those with comments. */
export const countsOf = (key: string, signal?: AbortSignal) =>
  ask<Counts>(`${linkOf(key)}/counts`, signal);

/** A page of a folder's subfolders within the shared one. */
export const foldersOf = (
  key: string,
  folder: string,
  after: string | null,
  signal?: AbortSignal,
) =>
  ask<{ folders: Inside[]; next: string | null }>(
    `${linkOf(key)}/folders${query({ folder }, after)}`,
    signal,
  );

const below = (key: string, { id }: Picture, rest: string) =>
  `${linkOf(key)}/files/${encodeURIComponent(id)}/${rest}`;

/** Sets or changes this visitor's name. */
export const giveName = (key: string, name: string) =>
  ask<{ name: string }>(`${linkOf(key)}/reviewer`, undefined, "PUT", { name });

/** Sets this visitor's choice and rating of a picture. */
export const mark = (
  key: string,
  picture: Picture,
  { choice, rating }: Feedback,
) =>
  ask<object>(below(key, picture, "mark"), undefined, "PUT", {
    choice,
    rating,
  });

/** All comments on a picture that are visible to this visitor, oldest first. */
export async function commentsOf(
  key: string,
  picture: Picture,
  signal?: AbortSignal,
): Promise<Comment[]> {
  const all: Comment[] = [];
  let after: string | null = null;
  do {
    const query: string = after
      ? `?${new URLSearchParams({ after }).toString()}`
      : "";
    const page: { comments: Comment[]; next: string | null } = await ask(
      below(key, picture, `comments${query}`),
      signal,
    );
    all.push(...page.comments);
    after = page.next;
  } while (after);
  return all;
}

/** Adds a comment on a picture, optionally at a point in it. */
export const comment = (
  key: string,
  picture: Picture,
  text: string,
  point: Point | null,
) =>
  ask<Comment>(below(key, picture, "comments"), undefined, "POST", {
    text,
    ...(point ?? {}),
  });

/** Deletes a comment of this visitor. */
export const uncomment = (key: string, picture: Picture, id: string) =>
  ask<object>(
    below(key, picture, `comments/${encodeURIComponent(id)}`),
    undefined,
    "DELETE",
  );

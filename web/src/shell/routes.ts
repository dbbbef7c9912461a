import type { Component } from "svelte";
import { language } from "../messages/index.svelte";
import { match, type Params } from "../router/path";

/** The properties of a page: `params` has the values of the placeholders in its path. */
export type PageProps = { params: Params };
type Loaded = { default: Component<PageProps> } | { default: Component };

/** A route. Its page is a separate chunk, which is loaded when it is first opened. */
export type Route = {
  pattern: string;
  page: () => Promise<Loaded>;
  /** Whether it is shown without side bar and tab bar. */
  bare?: boolean;
  /** Whether it is shown to people who are not logged in. */
  open?: boolean;
  /** The role needed to see it; undefined for every account. The server enforces access to the data. */
  role?: "edit" | "admin";
  /** Routes of one group share a page, which stays when the URL changes within the group. */
  group?: string;
};

// A page whose messages are not in the part of the catalogue for the first view.
const later = (page: Route["page"]) => () =>
  Promise.all([page(), language.whole()]).then(([loaded]) => loaded);

const admin = later(() => import("../admin/Admin.svelte"));
const gallery = () => import("../gallery/Gallery.svelte");

// For a new route, also add its first segment to appPaths in server/app.go and to pages in
// public/app/worker.js.
export const routes: Route[] = [
  {
    pattern: "/login",
    page: () => import("../session/Login.svelte"),
    bare: true,
    open: true,
  },
  {
    pattern: "/signin/:provider",
    page: later(() => import("../session/Signin.svelte")),
    bare: true,
    open: true,
  },
  {
    pattern: "/setup",
    page: later(() => import("../session/Setup.svelte")),
    bare: true,
    open: true,
  },
  {
    pattern: "/reset",
    page: later(() => import("../session/Reset.svelte")),
    bare: true,
    open: true,
  },
  {
    pattern: "/confirm",
    page: later(() => import("../session/ConfirmEmail.svelte")),
    bare: true,
    open: true,
  },
  {
    pattern: "/s/:key",
    page: later(() => import("../shares/Visit.svelte")),
    bare: true,
    open: true,
  },
  { pattern: "/", page: gallery, group: "gallery" },
  { pattern: "/f/*folder", page: gallery, group: "gallery" },
  { pattern: "/timeline", page: () => import("../timeline/Timeline.svelte") },
  { pattern: "/search", page: () => import("../gallery/Search.svelte") },
  { pattern: "/map", page: later(() => import("../map/Map.svelte")) },
  {
    pattern: "/i/*file",
    page: later(() => import("../viewer/Viewer.svelte")),
    bare: true,
    group: "viewer",
  },
  {
    pattern: "/edit/*file",
    page: later(() => import("../editor/Editor.svelte")),
    bare: true,
    role: "edit",
    group: "editor",
  },
  {
    pattern: "/albums",
    page: later(() => import("../albums/Albums.svelte")),
    role: "edit",
  },
  {
    pattern: "/a/:album",
    page: later(() => import("../albums/Album.svelte")),
    role: "edit",
    group: "album",
  },
  {
    pattern: "/templates",
    page: later(() => import("../templates/Templates.svelte")),
    role: "edit",
  },
  {
    pattern: "/clean",
    page: later(() => import("../clean/Clean.svelte")),
    role: "edit",
  },
  {
    pattern: "/share",
    page: later(() => import("../install/Share.svelte")),
    role: "edit",
  },
  {
    pattern: "/trash",
    page: later(() => import("../trash/Trash.svelte")),
    role: "edit",
  },
  { pattern: "/admin", page: admin, role: "admin", group: "admin" },
  { pattern: "/admin/:section", page: admin, role: "admin", group: "admin" },
  {
    pattern: "/pick",
    page: later(() => import("../embed/Pick.svelte")),
    bare: true,
    open: true,
  },
  { pattern: "/me", page: later(() => import("../session/Me.svelte")) },
  {
    pattern: "/me/sessions",
    page: later(() => import("../session/Sessions.svelte")),
  },
  {
    pattern: "/me/shares",
    page: later(() => import("../shares/Shares.svelte")),
    role: "edit",
  },
  {
    pattern: "/me/shares/:share",
    page: later(() => import("../shares/Feedback.svelte")),
    role: "edit",
  },
  {
    pattern: "/me/security",
    page: later(() => import("../session/Security.svelte")),
  },
];

/**
 * URLs that people try, and the pages that they lead to. For a new one, also add its first segment to
 * appPaths in server/app.go and to pages in public/app/worker.js.
 */
export const meant: Readonly<Record<string, string>> = {
  "/library": "/",
  "/folders": "/f",
  "/i": "/", // the viewer without a file
  "/i/": "/",
  "/a": "/albums", // an album without an id
  "/a/": "/albums",
  "/favorites": "/search?q=is:favorite",
  "/account": "/me",
  "/profile": "/me",
};

/** The route of a path and its parameters; null if there is none. */
export function routeOf(path: string): { route: Route; params: Params } | null {
  for (const route of routes) {
    const params = match(route.pattern, path);
    if (params) return { route, params };
  }
  return null;
}

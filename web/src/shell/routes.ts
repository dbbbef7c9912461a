import type { Component } from "svelte";
import { language } from "../messages/index.svelte";
import { match, type Params } from "../router/path";

/** A page gets what stands in its path as `params`. */
export type PageProps = { params: Params };
type Loaded = { default: Component<PageProps> } | { default: Component };

/** A route. Its page is a chunk of its own, loaded when somebody first goes there. */
export type Route = {
  pattern: string;
  page: () => Promise<Loaded>;
  /** Shown without the frame of side bar and tab bar. */
  bare?: boolean;
  /** Shown to people who are not logged in. */
  open?: boolean;
  /** Who may see it; everybody with a session when left out. The server decides about the data all the same. */
  role?: "edit" | "admin";
  /** Routes of one group share a page that stays when the address changes within it. */
  group?: string;
};

// A page whose messages are not among those of the first view.
const later = (page: Route["page"]) => () =>
  Promise.all([page(), language.whole()]).then(([loaded]) => loaded);

const admin = later(() => import("../admin/Admin.svelte"));
const gallery = () => import("../gallery/Gallery.svelte");

// Add the first segment of a new one to appPaths in server/app.go and to pages in public/app/worker.js too.
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
 * Addresses that people try, and the pages that they mean. Add the first segment to appPaths in server/app.go and to pages in
 * public/app/worker.js too.
 */
export const meant: Readonly<Record<string, string>> = {
  "/library": "/",
  "/folders": "/f",
  "/i": "/", // a viewer without a file
  "/i/": "/",
  "/a": "/albums", // an album without its id
  "/a/": "/albums",
  "/favorites": "/search?q=is:favorite",
  "/account": "/me",
  "/profile": "/me",
};

/** The route of a path and what stands in it; null for an address that is nobody's. */
export function routeOf(path: string): { route: Route; params: Params } | null {
  for (const route of routes) {
    const params = match(route.pattern, path);
    if (params) return { route, params };
  }
  return null;
}

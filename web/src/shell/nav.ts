import albums from "lucide:book-image";
import book from "lucide:book-open";
import calendar from "lucide:calendar-days";
import circleUser from "lucide:circle-user-round";
import copies from "lucide:copy-check";
import gear from "lucide:settings";
import images from "lucide:images";
import layout from "lucide:layout-template";
import map from "lucide:map";
import search from "lucide:search";
import trash from "lucide:trash-2";
import type { Key } from "../messages/index.svelte";

/** An entry of the side bar. */
export type NavEntry = {
  href: string;
  label: Key;
  icon: string;
  /** Whether it is above the folders or at the bottom. */
  place: "top" | "bottom";
  role?: "edit" | "admin";
  /** Whether it exists only on servers that publish their documentation. */
  docs?: boolean;
  /** Whether it is also in the tab bar of a phone, which has room for five. */
  tab?: boolean;
  /** Whether it is highlighted for this path; by default for its own and those below. */
  lit?: (path: string) => boolean;
};

export const nav: NavEntry[] = [
  {
    href: "/",
    label: "nav.library",
    icon: images,
    place: "top",
    tab: true,
    lit: (path) => path === "/" || path === "/f" || path.startsWith("/f/"),
  },
  {
    href: "/timeline",
    label: "nav.timeline",
    icon: calendar,
    place: "top",
    tab: true,
  },
  {
    href: "/search",
    label: "nav.search",
    icon: search,
    place: "top",
    tab: true,
  },
  {
    href: "/albums",
    label: "nav.albums",
    icon: albums,
    place: "top",
    role: "edit",
    tab: true,
    lit: (path) => path === "/albums" || path.startsWith("/a/"),
  },
  { href: "/map", label: "nav.map", icon: map, place: "top" },
  {
    href: "/templates",
    label: "nav.templates",
    icon: layout,
    place: "top",
    role: "edit",
  },
  {
    href: "/clean",
    label: "nav.clean",
    icon: copies,
    place: "bottom",
    role: "edit",
  },
  {
    href: "/trash",
    label: "nav.trash",
    icon: trash,
    place: "bottom",
    role: "edit",
  },
  {
    href: "/docs/",
    label: "nav.docs",
    icon: book,
    place: "bottom",
    docs: true,
  },
  {
    href: "/admin",
    label: "nav.admin",
    icon: gear,
    place: "bottom",
    role: "admin",
  },
  {
    href: "/me",
    label: "nav.account",
    icon: circleUser,
    place: "bottom",
    tab: true,
  },
];

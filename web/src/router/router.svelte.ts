import { SvelteURLSearchParams } from "svelte/reactivity";

/** The current location. Change it with `navigate` and `setQuery` only. */
class Location {
  path = $state(location.pathname);
  hash = $state(location.hash);
  /** Read-only; `setQuery` changes it. */
  readonly query = new SvelteURLSearchParams(location.search);
  /** The path of the previous page; empty for the first one. */
  before = "";

  /** Updates the state from the browser's location. */
  read() {
    if (location.pathname !== this.path) this.before = this.path;
    this.path = location.pathname;
    this.hash = location.hash;
    const now = new URLSearchParams(location.search);
    for (const key of [...this.query.keys()])
      if (!now.has(key)) this.query.delete(key);
    for (const [key, value] of now)
      if (this.query.get(key) !== value) this.query.set(key, value);
  }
}

export const here = new Location();

// The current URL and history entry, which are restored if the person stays on a page with unsaved work.
let left = location.href;
let entry: { inside?: boolean | undefined; spare?: boolean } =
  history.state ?? {};

/** Stores values in `history.state` of this history entry, where they survive a reload. */
export function keepInEntry(values: object): void {
  history.replaceState((entry = { ...history.state, ...values }), "");
}

// The callbacks of pages with unsaved work; see `guardLeave`.
const guards = new Set<() => boolean>();

/** Calls `mayLeave` before every change of the page, until the returned function is called. */
export function guardLeave(mayLeave: () => boolean): () => void {
  guards.add(mayLeave);
  return () => guards.delete(mayLeave);
}

// The close functions of what is open on top of the page, topmost last; see `closeOnBack`.
const over: (() => void)[] = [];

/**
 * Makes the browser's Back button close what is open on top of the page before it leaves the page.
 * Call the returned function when it is closed.
 */
export function closeOnBack(close: () => void): () => void {
  // On the first page of a tab, Back would leave the site. A second history entry for the same page is added,
  // so that Back returns to the first.
  if (!history.state?.inside && !history.state?.spare) addSpare();
  over.push(close);
  return () => void over.splice(over.indexOf(close), 1);
}

function addSpare(): void {
  history.pushState((entry = { ...history.state, spare: true }), "");
}

/**
 * Goes to a URL of the application. `replace` replaces the current history entry; `force` skips the
 * guards of unsaved work.
 */
export function navigate(
  address: string,
  options: { replace?: boolean; force?: boolean } = {},
): void {
  const samePage =
    new URL(address, location.href).pathname === location.pathname;
  if (
    !samePage &&
    !options.force &&
    [...guards].some((mayLeave) => !mayLeave())
  )
    return;
  history[options.replace ? "replaceState" : "pushState"](
    // A page that replaces the first page of a tab is the first page.
    (entry = options.replace
      ? { inside: history.state?.inside }
      : { inside: true }),
    "",
    address,
  );
  left = location.href;
  here.read();
}

/** Goes back if the previous page belongs to the application, else to `otherwise`. */
export function goBack(otherwise: string): void {
  if (history.state?.inside) history.back();
  else navigate(otherwise, { replace: true });
}

/** Changes parameters of the query; null removes one. By default the current history entry is replaced. */
export function setQuery(
  changes: Record<string, string | null>,
  options: { push?: boolean } = {},
): void {
  const query = new URLSearchParams(location.search);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  history[options.push ? "pushState" : "replaceState"](
    (entry = options.push
      ? { ...history.state, spare: false }
      : (history.state ?? {})),
    "",
    location.pathname + (text ? `?${text}` : "") + location.hash,
  );
  left = location.href;
  here.read();
}

/** Handles plain clicks on links to the application's own pages without a reload. */
export function followLinks(isOurs: (path: string) => boolean): () => void {
  const click = (event: MouseEvent) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (
      !link ||
      link.target ||
      link.hasAttribute("download") ||
      link.origin !== location.origin ||
      !isOurs(link.pathname)
    )
      return;
    event.preventDefault();
    if (link.href !== location.href)
      navigate(link.pathname + link.search + link.hash);
  };
  // The browser has already changed the URL: a page with unsaved work, or with something open on top of it,
  // gets its own URL back.
  const moved = () => {
    const now = location.href;
    const close = over.at(-1);
    if (entry.spare && !history.state?.spare && now === left) {
      entry = history.state ?? {};
      if (!close) return history.back();
      if (over.length > 1) addSpare(); // for what is open below it
      return close();
    }
    if (close) {
      history.pushState({ ...entry, inside: true }, "", left);
      return close();
    }
    if (
      location.pathname !== here.path &&
      [...guards].some((mayLeave) => !mayLeave())
    )
      return history.pushState({ ...entry, inside: true }, "", left);
    left = now;
    entry = history.state ?? {};
    here.read();
  };
  document.addEventListener("click", click);
  addEventListener("popstate", moved);
  return () => {
    document.removeEventListener("click", click);
    removeEventListener("popstate", moved);
  };
}

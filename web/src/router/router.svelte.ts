import { SvelteURLSearchParams } from "svelte/reactivity";

/** Where the person is. Change it with `navigate` and `setQuery` only. */
class Location {
  path = $state(location.pathname);
  hash = $state(location.hash);
  /** Read it; `setQuery` changes it. */
  readonly query = new SvelteURLSearchParams(location.search);
  /** The path of the page before this one; empty for the first. */
  before = "";

  /** Takes over what the browser's address says now. */
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

// The address that is shown, and what its entry in the history keeps, for a page that is not left.
let left = location.href;
let entry: { inside?: boolean | undefined; spare?: boolean } =
  history.state ?? {};

/** Keeps values in this entry of the history, which a reload leaves as it is; they are in `history.state`. */
export function keepInEntry(values: object): void {
  history.replaceState((entry = { ...history.state, ...values }), "");
}

// Pages that hold unsaved work say so here; see `guardLeave`.
const guards = new Set<() => boolean>();

/** Asks `mayLeave` before every change of the page, until the returned function is called. */
export function guardLeave(mayLeave: () => boolean): () => void {
  guards.add(mayLeave);
  return () => guards.delete(mayLeave);
}

// What is open over the page, the last one on top; see `closeOnBack`.
const over: (() => void)[] = [];

/**
 * The browser's Back closes what is open over the page, and leaves the page only after that. To be ended with the
 * returned function.
 */
export function closeOnBack(close: () => void): () => void {
  // Back on the first page of a tab would leave the site. A second entry for the same page is what it goes back from.
  if (!history.state?.inside && !history.state?.spare)
    history.pushState((entry = { ...history.state, spare: true }), "");
  over.push(close);
  return () => void over.splice(over.indexOf(close), 1);
}

/** Goes to an address of the application. With `replace` the present one leaves the history; with `force` unsaved work does not hold it up. */
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
    // One that takes the place of the first page of a tab is the first page.
    (entry = options.replace
      ? { inside: history.state?.inside }
      : { inside: true }),
    "",
    address,
  );
  left = location.href;
  here.read();
}

/** Goes back when the page before was one of ours, else to `otherwise`. */
export function goBack(otherwise: string): void {
  if (history.state?.inside) history.back();
  else navigate(otherwise, { replace: true });
}

/** Changes parts of the query; null takes one away. By default the present address is replaced. */
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

/** Lets plain clicks on links to the application's own pages change the page without a reload. */
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
  // The browser has gone there already: a page with unsaved work, or with something open over it, gets its own address back.
  const moved = () => {
    const now = location.href;
    const close = over.at(-1);
    if (entry.spare && !history.state?.spare && now === left) {
      entry = history.state ?? {};
      return close ? close() : history.back();
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

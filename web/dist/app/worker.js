// The service worker: it keeps the application itself, so that it opens without a connection, and takes what a phone
// shares with it. It never touches the API or pictures, so it can neither answer with old data nor keep anybody's.

const kept = "safelight.application";
const shared = "safelight.shared";
const shell = "/";

// The first segments of the application's pages; all of them are the same document. See appPaths in server/app.go.
const pages = [
  "",
  "login",
  "setup",
  "reset",
  "confirm",
  "f",
  "timeline",
  "search",
  "map",
  "i",
  "edit",
  "templates",
  "albums",
  "a",
  "clean",
  "trash",
  "admin",
  "me",
  "share",
  "signin",
  "library",
  "folders",
  "favorites",
  "account",
  "profile",
];

// A new worker takes over at once: what its predecessor kept stays valid until the document names other files.
addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(
    fetch(shell, { headers: { Accept: "text/html" } }).then(keep),
  );
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  if (request.method === "POST" && pathname === "/share")
    return event.respondWith(receive(request));
  if (request.method !== "GET") return;
  if (/^\/app\/\w{8}-/.test(pathname)) event.respondWith(asset(request));
  else if (
    request.mode === "navigate" &&
    pages.includes(pathname.split("/")[1])
  )
    event.respondWith(page(event));
});

// What a proxy answers with in place of a server that is away; see src/api/transport.ts.
const gateways = [502, 503, 504];

/** A page comes from the server. The kept document is the answer only while the server is away. */
async function page(event) {
  try {
    const answer = await fetch(event.request);
    if (gateways.includes(answer.status)) return (await keptPage()) ?? answer;
    const copy = answer.clone();
    event.waitUntil(keep(copy).catch(() => undefined));
    return answer;
  } catch (error) {
    const found = await keptPage();
    if (found) return found;
    throw error;
  }
}

const keptPage = async () => (await caches.open(kept)).match(shell);

/**
 * Keeps the document once all files that it names are here. When it has changed, the files of other versions are
 * removed.
 */
async function keep(answer) {
  const html = answer.headers.get("Content-Type")?.startsWith("text/html");
  if (!answer.ok || answer.redirected || !html) return;
  const cache = await caches.open(kept);
  const text = await answer.clone().text();
  const before = await cache.match(shell);
  if (before && (await before.text()) === text) return;
  const named = [...text.matchAll(/"(\/app\/\w{8}-[^"]+)"/g)].map(
    ([, path]) => path,
  );
  if (!named.length) return; // not the document of the application
  await cache.addAll(named);
  await cache.put(shell, answer);
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname !== shell && !named.includes(pathname))
      await cache.delete(request);
  }
}

/** A file of the application. Its name changes with its content, so a kept file is never outdated. */
async function asset(request) {
  const cache = await caches.open(kept);
  const found = await cache.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

/**
 * Puts shared files where the page /share finds them, beside those of an earlier share that wait there. Nothing is
 * uploaded before the person says so on that page. When the files cannot be read or kept, the page says that too.
 */
async function receive(request) {
  const began = Date.now(); // no other share has the same names
  const names = [];
  try {
    const form = await request.formData();
    const cache = await caches.open(shared);
    for (const [i, file] of form.getAll("pictures").entries()) {
      if (!(file instanceof File)) continue;
      const headers = {
        "Content-Type": file.type,
        "X-Name": encodeURIComponent(file.name),
        "X-Modified": String(file.lastModified),
        "X-Shared": String(began),
      };
      names.push(`/share/${began}-${i}`);
      await cache.put(names.at(-1), new Response(file, { headers }));
    }
  } catch {
    await forget(names).catch(() => undefined);
    return Response.redirect("/share?lost=1", 303);
  }
  return Response.redirect("/share", 303);
}

/** Removes the files of a share that did not arrive whole. */
async function forget(names) {
  const cache = await caches.open(shared);
  for (const name of names) await cache.delete(name);
}

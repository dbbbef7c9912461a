import "./tokens.css";
import "./app.css";
import "./session/storage";
import { mount } from "svelte";
import { install } from "./install/install";
import { language, preferred } from "./messages/index.svelte";
import { followLinks } from "./router/router.svelte";
import { session } from "./session/session.svelte";
import App from "./shell/App.svelte";
import { routeOf } from "./shell/routes";
import { theme } from "./theme/theme.svelte";
import { ahead } from "./ui/ahead";
import { uploads } from "./uploads/uploads.svelte";

theme.start();
session.start();
followLinks((path) => routeOf(path) !== null);
// After an update of the server, an open page may request chunks that no longer exist: reload it, once.
addEventListener("vite:preloadError", (event) => {
  const place = "safelight.reloaded";
  if (
    ahead.pending ||
    !navigator.onLine ||
    uploads.unfinished ||
    Date.now() - Number(sessionStorage.getItem(place)) < 60_000
  )
    return;
  event.preventDefault();
  sessionStorage.setItem(place, String(Date.now()));
  location.reload();
});
await language.use(preferred());
mount(App, { target: document.getElementById("app")! });
install();

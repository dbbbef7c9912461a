// The application keeps its session in the browser's storage, which a request for a page does not carry, so a cookie
// for these pages takes the token along. It is Lax because links from other sites lead here, too, and no page changes
// anything.
const sessionCookie = {
  name: "safelight_docs=",
  path: new URL(".", document.currentScript.src).pathname,

  /** Returns the cookie as name=value, undefined if there is none. */
  read() {
    return document.cookie.split("; ").find((one) => one.startsWith(this.name));
  },

  /** Sets the cookie to the token of the session, or removes it if nobody is logged in. Returns whether it changed. */
  renew() {
    let token;
    try {
      token = JSON.parse(localStorage.getItem("safelight.session"))?.token;
    } catch {
      return false; // storage is blocked
    }
    const wanted = token ? this.name + token : undefined;
    if (this.read() === wanted) return false;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    const end = wanted ? "" : "; Max-Age=0";
    document.cookie = `${wanted ?? this.name}; Path=${this.path}; SameSite=Lax${secure}${end}`;
    return this.read() === wanted;
  },
};
const sessionChanged = sessionCookie.renew();
// Another tab logged in, renewed the session or logged out.
addEventListener("storage", () => sessionCookie.renew());

// Lets people in who are logged in to the application. It keeps its session in the browser's storage, which a request
// for a page does not carry, so a cookie for these pages takes the token along.
const root = new URL(".", document.currentScript.src);
const login = new URL("../login", root);
login.searchParams.set("next", location.pathname + location.search);
document.getElementById("login").href = login.href;

let token = null;
try {
  token = JSON.parse(localStorage.getItem("safelight.session"))?.token;
} catch {
  // storage is blocked
}
const cookie = `safelight_docs=${token}`;
const isSet = () => document.cookie.split("; ").includes(cookie);
// A cookie that is set already has been refused.
if (token && !isSet()) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${cookie}; Path=${root.pathname}; SameSite=Strict${secure}`;
  if (isSet()) location.reload();
}

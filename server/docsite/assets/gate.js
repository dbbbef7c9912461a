// Leads to the login, or back to the page if somebody is logged in to the application.
const login = new URL("../login", new URL(".", document.currentScript.src));
login.searchParams.set("next", location.pathname + location.search);
document.getElementById("login").href = login.href;

// If the cookie has not changed, the server has refused it already.
if (sessionChanged) location.reload();

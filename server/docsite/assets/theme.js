// The theme that the application and these pages share, before the page is shown.
try {
  const theme = localStorage.getItem("safelight.theme");
  if (theme === "dark" || theme === "light")
    document.documentElement.dataset.theme = theme;
} catch {
  // storage is blocked: the theme is that of the system
}

// Before anything is drawn: the theme that was chosen here, or none for the system's. `src/shell/Theme.ts` writes it.
try {
  const chosen = localStorage.getItem("pawl.theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen
} catch {
  // A browser that keeps nothing has the system's theme.
}

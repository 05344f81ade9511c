/** Light, dark, or what the system says. `first.js` reads the same place before anything is drawn. */

/** What may be chosen. */
export const themes = ["system", "light", "dark"] as const
/** One of `themes`. */
export type Theme = (typeof themes)[number]

const place = "pawl.theme"

/** What was chosen in this browser. */
export const chosenTheme = (): Theme => {
  const { theme } = document.documentElement.dataset
  return theme === "light" || theme === "dark" ? theme : "system"
}

/** Draws the page in a theme from now on, and remembers it where the browser remembers. */
export const chooseTheme = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
  try {
    if (theme === "system") localStorage.removeItem(place)
    else localStorage.setItem(place, theme)
  } catch {
    // It holds until the page is left.
  }
}

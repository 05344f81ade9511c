/** The choice of a theme. Wherever it stands it says what was chosen last. */
import { type ReactNode, useSyncExternalStore } from "react"
import { SelectField } from "../ui/Field.tsx"
import { chooseTheme, chosenTheme, type Theme, themes } from "./Theme.ts"

const themeWords: Readonly<Record<Theme, string>> = { system: "As the system", light: "Light", dark: "Dark" }

const watch = (see: () => void): (() => void) => {
  const watching = new MutationObserver(see)
  watching.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] })
  return () => watching.disconnect()
}

/** It is in force at once. */
export const ThemeField = (): ReactNode => (
  <SelectField
    label="Theme"
    value={useSyncExternalStore(watch, chosenTheme)}
    onChange={({ target }) => chooseTheme(target.value as Theme)}
  >
    {themes.map((each) => (
      <option key={each} value={each}>
        {themeWords[each]}
      </option>
    ))}
  </SelectField>
)

/** What a look at one file finds, before it is worded as a problem of the build. */
import { type AuthPackage, authPackage } from "./AuthPackages.ts"

/** Counts from 1; null where a file was too large or too odd to be parsed. */
export interface Spot {
  readonly line: number | null
  readonly column: number | null
}

/** A package of the list that is named, or a field that asks for a password, and where. */
export type AuthFinding = Spot &
  (
    | { readonly _tag: "Package"; readonly found: AuthPackage; readonly specifier: string }
    | { readonly _tag: "PasswordField"; readonly what: string }
  )

/** The place of what has no line of its own to show. */
export const nowhere: Spot = { line: null, column: null }

/** One finding when the specifier names a package of the list, else none. */
export const packageFinding = (specifier: string, spot: Spot): ReadonlyArray<AuthFinding> => {
  const found = authPackage(specifier)
  return found === null ? [] : [{ _tag: "Package", found, specifier, ...spot }]
}

/** `what` is the piece of markup or code that makes the field, as the problem repeats it. */
export const fieldFinding = (what: string, spot: Spot): AuthFinding => ({ _tag: "PasswordField", what, ...spot })

/** A value of `type` that makes a field of passwords. */
const isPasswordType = (value: string): boolean => value.trim().toLowerCase() === "password"

/** `current-password`, `new-password`, also beside other words. */
const isPasswordAutocomplete = (value: string): boolean =>
  value
    .toLowerCase()
    .split(/\s+/)
    .some((word) => word.endsWith("-password"))

/** What an attribute or a property says of a field: `type="password"`. Null when it says nothing of passwords. */
export const passwordAttribute = (name: string, value: string): string | null => {
  const plain = name.toLowerCase()
  if (plain === "type") return isPasswordType(value) ? 'type="password"' : null
  return plain === "autocomplete" && isPasswordAutocomplete(value) ? 'autocomplete="…-password"' : null
}

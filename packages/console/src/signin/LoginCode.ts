/** The code in the address of a printed link: `#login=<code>`. */

/** The code of a fragment; null when it has none. */
export const codeIn = (fragment: string): string | null => {
  const code = new URLSearchParams(fragment.replace(/^#/, "")).get("login")
  return code === null || code === "" ? null : code
}

/** Takes the code out of the address, so that it is neither kept in the history nor copied along with the address. */
export const takeCode = (): string | null => {
  const code = codeIn(location.hash)
  if (code !== null) history.replaceState(null, "", location.pathname + location.search)
  return code
}

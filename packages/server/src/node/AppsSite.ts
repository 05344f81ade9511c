/** Whether apps share a site with the console: then their pages reach its cookies, and can make a browser forget them. */
import { getDomain } from "tldts"
import type { Options } from "./Options.ts"

/** The registrable domain that the console and its apps share; null for none. */
export const sharedSite = ({ appsDomain, baseUrl }: Pick<Options, "appsDomain" | "baseUrl">): string | null => {
  if (appsDomain === null || baseUrl === null) return null
  // Under a suffix where anybody may register (`github.io`), the name below it is a site of its own.
  const rules = { allowPrivateDomains: true }
  const site = getDomain(new URL(baseUrl).hostname, rules)
  return site !== null && site === getDomain(appsDomain, rules) ? site : null
}

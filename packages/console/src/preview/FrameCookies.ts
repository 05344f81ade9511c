/** Whether an app in a frame of the console keeps its cookies: browsers keep them from frames of other sites. */

/**
 * What the browser takes for the site of a host: the shortest of its ends for which it keeps a cookie. No other way asks
 * for the list that it has of the ends that registries sell names below (`co.uk`). A name of one part, or an address, is a
 * site alone.
 */
export const siteOf = (host: string, document: { cookie: string }): string => {
  const isKept = (domain: string): boolean => {
    const set = (seconds: number): void => {
      document.cookie = `pawl-site=1; Domain=${domain}; Path=/; SameSite=Strict; Max-Age=${seconds}`
    }
    set(60)
    const found = document.cookie.includes("pawl-site=1")
    set(0)
    return found
  }
  if (/^[\d.]+$/.test(host) || host.includes(":")) return host
  const parts = host.split(".")
  const ends = parts.map((_part, at) => parts.slice(at).join("."))
  return ends.slice(0, -1).findLast(isKept) ?? host
}

/** Whether a host is one of a site, where `localhost` has none but itself. Names of hosts have no ports. */
export const isOfSite = (host: string, site: string): boolean =>
  host === site || (site.includes(".") && host.endsWith(`.${site}`))

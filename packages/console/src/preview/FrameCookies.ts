/** Whether an app in a frame of the console keeps its cookies: browsers keep them from frames of other sites. */

/** What a browser takes for a site, as far as a name tells: its last two parts. A machine's own names are sites alone. */
const siteOf = (host: string): string => {
  const isAlone = host === "localhost" || /^[\d.]+$/.test(host) || host.includes(":")
  if (isAlone) return host
  const parts = host.split(".")
  // `shop.apps.localhost` is another site than `localhost`: no registry sells names below it.
  return parts.slice(-2).join(".")
}

/** `console` and `app` are names of hosts, without ports. */
export const keepsCookies = (console: string, app: string): boolean => siteOf(console) === siteOf(app)

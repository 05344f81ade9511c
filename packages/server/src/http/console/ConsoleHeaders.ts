/** What the console's page may load, and who may look into it. */

/** Where apps are shown from: any of their hosts. Null: there are none. */
export interface AppHosts {
  /** `http:` or `https:` */
  readonly protocol: string
  readonly appsDomain: string | null
  /** With its colon, or empty. */
  readonly portSuffix: string
}

/** Where the console may show apps from: their addresses have the scheme and the port of the API's. */
export const appHostsOf = (origin: string, appsDomain: string | null): AppHosts => {
  const { port, protocol } = new URL(origin)
  return { protocol, appsDomain, portSuffix: port === "" ? "" : `:${port}` }
}

const policyOf = ({ appsDomain, portSuffix, protocol }: AppHosts): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    `frame-src ${appsDomain === null ? "'none'" : `${protocol}//*.${appsDomain}${portSuffix}`}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join("; ")

/** The headers of every answer of the console. */
export const consoleHeaders = (hosts: AppHosts): Readonly<Record<string, string>> => ({
  "content-security-policy": policyOf(hosts),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

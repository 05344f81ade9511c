/** Where things are reached: the API and console, and each app's host. */
import type { Options } from "../Options.ts"

/** How addresses are made from options, and told apart. */
export interface Addresses {
  /** Of the API and console, without a path: `http://localhost:8787`. */
  readonly apiOrigin: string
  /** An app's address from its host name. */
  readonly appUrl: (host: string) => string
  /** Whether a `Host` header names the API. */
  readonly isApi: (host: string) => boolean
}

const nameOf = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d{0,5}$/, "")
    .replace(/\.$/, "")

const isLoopback = (name: string): boolean =>
  name === "localhost" || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name)

/** The addresses of a server. `port` is the one that is listened on: without a base URL, addresses name it. */
export const of = (options: Pick<Options, "baseUrl" | "host">, port: number): Addresses => {
  const base = new URL(options.baseUrl ?? `http://localhost:${port}`)
  const suffix = base.port === "" ? "" : `:${base.port}`
  return {
    apiOrigin: base.origin,
    appUrl: (host) => `${base.protocol}//${host}${suffix}/`,
    isApi: (host) => {
      const name = nameOf(host)
      return isLoopback(name) || name === base.hostname || name === nameOf(options.host)
    }
  }
}

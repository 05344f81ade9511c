/** The address of a git repository elsewhere: `https://host/path`, `http://…` or `ssh://user@host/path`, and nothing else. */
import { Limits } from "../primitives/Limits.ts"

const form =
  /^(https?:\/\/|ssh:\/\/(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?)([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(:[0-9]{1,5})?((?:\/[A-Za-z0-9_~.-]+)+)\/?$/i

/**
 * The address in one form, or null: no credentials, no query, no `.` and `..`, nothing that a shell or git could take for
 * more than an address.
 */
export const remoteUrl = (text: string): string | null => {
  const [, scheme, host, port = "", path] = (text.length > Limits.releaseTargetUrlLength ? null : form.exec(text)) ?? []
  if (scheme === undefined || host === undefined || path === undefined) return null
  if (host.includes("..") || Number(port.slice(1)) > 65_535) return null
  if (path.split("/").some((segment) => segment === "." || segment === ".." || segment.startsWith("-"))) return null
  const [protocol, user = ""] = scheme.split("//")
  return `${protocol?.toLowerCase()}//${user}${host.toLowerCase()}${port}${path}`
}

/** Whether an address lies under another: the same host, and its path or one below it. */
export const isUnder = (url: string, base: string): boolean => url === base || url.startsWith(`${base}/`)

/** An address over http or https, and the host of it with its port where that is not the usual one. */
export interface RemoteHost {
  readonly url: string
  readonly host: string
}

/** The address in one form with its host, or null for one over ssh and for what `remoteUrl` does not take. */
export const remoteHostOf = (text: string): RemoteHost | null => {
  const url = remoteUrl(text)
  const [, scheme, host, port = ""] = /^(https?):\/\/([^/:]+)(:\d+)?\//.exec(url ?? "") ?? []
  if (url === null || host === undefined) return null
  const usual = scheme === "https" ? ":443" : ":80"
  return { url, host: port === usual ? host : `${host}${port}` }
}

/** Host names under the apps domain: `<label>`, `<8 hex>--<label>`, `v<7 digits>--<label>`. One pure parser. */
import { previewPattern } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Channel } from "./Pointer.ts"

const reserved = new Set([
  "www",
  "api",
  "dev",
  "api-dev",
  "idp",
  "accounts",
  "clkmail",
  "app",
  "apps",
  "admin",
  "mail",
  "status",
  "docs",
  "static",
  "cdn"
])
/** The service's own name: labels that start with it are reserved. */
export const serviceName = "pawl"

/** Whether no app may have this label: names of services, and whatever begins with Pawl's own. */
export const isReservedLabel = (label: string): boolean => reserved.has(label) || label.startsWith(serviceName)

/** One label, at most 50 characters: lowercase letters, digits and single inner hyphens. */
export const isLabel = (text: string): boolean =>
  text.length >= 1 && text.length <= Limits.labelLength && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text)

/** The slug when it may be a label; else the slug, cut, with the first 6 hex characters of the Project's uuid. */
export const labelFor = (slug: string, projectId: string, taken: boolean): string => {
  if (isLabel(slug) && !isReservedLabel(slug) && !taken) return slug
  const suffix = projectId
    .replace(/^proj_/, "")
    .replaceAll("-", "")
    .slice(0, 6)
  return `${slug.slice(0, Limits.labelLength - suffix.length - 1).replace(/-+$/, "")}-${suffix}`
}

/** What a host name means: an app's label, and which of its channels. */
export interface AppHost {
  readonly label: string
  readonly channel: Channel
}

/** Host names do not tell case apart, and only ASCII has case there: no other letter may turn into one of ours. */
const lowered = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** A name and its port; `null` for a port that no connection has. */
const withoutPort = (host: string): string | null => {
  const port = /:(\d{0,5})$/.exec(host)
  if (port === null) return host
  return Number(port[1]) > 65_535 ? null : host.slice(0, port.index)
}

const onLabel = new RegExp(`^(?:(${previewPattern})--)?([a-z0-9]+(?:-[a-z0-9]+)*)$`)

/**
 * Reads a `Host` header. `undefined` when the host is not under the apps domain; `null` when it is,
 * but names nothing an app could have; `"apex"` for the apps domain itself.
 * The port, one trailing dot and letter case do not matter. `xn--…` is neither a label nor a preview: its `--` parts nothing.
 */
export const parseHost = (host: string, appsDomain: string): AppHost | "apex" | null | undefined => {
  const named = withoutPort(host)
  // The longest host name there is, its dot, and a port: what is longer is not read.
  if (named === null || host.length > Limits.hostLength) return undefined
  const name = lowered(named).replace(/\.$/, "")
  const domain = lowered(appsDomain.replace(/:\d{0,5}$/, ""))
  if (name === domain) return "apex"
  if (!name.endsWith(`.${domain}`)) return undefined
  const sub = name.slice(0, -domain.length - 1)
  const match = onLabel.exec(sub)
  if (match === null || !isLabel(match[2]!)) return null
  return { label: match[2]!, channel: match[1] === undefined ? "production" : `preview:${match[1]}` }
}

/** The host of a channel, without a port. */
export const hostFor = (label: string, channel: Channel, appsDomain: string): string =>
  channel === "production" ? `${label}.${appsDomain}` : `${channel.slice("preview:".length)}--${label}.${appsDomain}`

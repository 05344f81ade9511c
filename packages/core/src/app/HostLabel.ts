/** Host names under the apps domain: `<label>`, `<8 hex>--<label>`, `v<7 digits>--<label>`. One pure parser. */
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

export interface AppHost {
  readonly label: string
  readonly channel: Channel
}

/**
 * Reads a `Host` header. `undefined` when the host is not under the apps domain; `null` when it is,
 * but names nothing an app could have; `"apex"` for the apps domain itself.
 * The port, a trailing dot and letter case do not matter.
 */
export const parseHost = (host: string, appsDomain: string): AppHost | "apex" | null | undefined => {
  const name = host
    .toLowerCase()
    .replace(/:\d{0,5}$/, "")
    .replace(/\.$/, "")
  const domain = appsDomain.toLowerCase().replace(/:\d{0,5}$/, "")
  if (name === domain) return "apex"
  if (!name.endsWith(`.${domain}`)) return undefined
  const sub = name.slice(0, -domain.length - 1)
  const match = /^(?:([0-9a-f]{8}|v[0-9]{7})--)?([a-z0-9]+(?:-[a-z0-9]+)*)$/.exec(sub)
  if (match === null || !isLabel(match[2]!)) return null
  return { label: match[2]!, channel: match[1] === undefined ? "production" : `preview:${match[1]}` }
}

/** The host of a channel, without a port. */
export const hostFor = (label: string, channel: Channel, appsDomain: string): string =>
  channel === "production" ? `${label}.${appsDomain}` : `${channel.slice("preview:".length)}--${label}.${appsDomain}`

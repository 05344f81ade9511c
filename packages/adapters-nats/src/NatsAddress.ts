/** Where servers of NATS are, and who asks: `nats://host:port`, several by commas, with or without a login. */
import { isIP } from "node:net"
import { Redacted } from "effect"
import { NatsLimits } from "./NatsLimits.ts"

/** A login by name, or by a token alone. */
export type NatsLogin =
  | { readonly _tag: "User"; readonly user: string; readonly password: Redacted.Redacted }
  | { readonly _tag: "Token"; readonly token: Redacted.Redacted }

/** Servers of one NATS. */
export interface NatsServers {
  /** `host:port`, without a login. */
  readonly servers: ReadonlyArray<string>
  /** No connection without TLS. */
  readonly tls: boolean
  /** Null: none, or that of the credentials. */
  readonly login: NatsLogin | null
}

/** How it is reached. */
export interface NatsOptions extends NatsServers {
  /** The path of a file of credentials, as NATS's own tools write it (`.creds`); null: there is none. */
  readonly credentials: string | null
}

/** What the option takes, in words. */
const addressForm = "use nats://host:port or tls://host:port, several with commas between them"

const standardPort = "4222"

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const loginOf = ({ password, username }: URL): NatsLogin | null | string => {
  if (username === "" && password === "") return null
  const [user, secret] = [decoded(username), decoded(password)]
  if (user === null || secret === null) return "write a % of a password as %25"
  if (user === "") return "name the user before the password, nats://user:password@host:port, or a token alone"
  return secret === ""
    ? { _tag: "Token", token: Redacted.make(user) }
    : { _tag: "User", user, password: Redacted.make(secret) }
}

interface Address {
  readonly server: string
  readonly tls: boolean
  readonly login: NatsLogin | null
}

const addressOf = (text: string): Address | string => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^(nats|tls):$/.test(url.protocol) || url.hostname === "") return addressForm
  if (!["", "/"].includes(url.pathname) || url.search !== "" || url.hash !== "") return `${addressForm}, without a path`
  // The client would compare its certificate with that of `localhost`.
  if (url.protocol === "tls:" && isIP(url.hostname.replace(/^\[(.*)\]$/, "$1")) !== 0)
    return "name the host of tls:// as its certificate does, not by its address"
  const login = loginOf(url)
  if (typeof login === "string") return login
  return { server: `${url.hostname}:${url.port || standardPort}`, tls: url.protocol === "tls:", login }
}

const secretOf = (login: NatsLogin | null): string =>
  login === null
    ? ""
    : login._tag === "Token"
      ? Redacted.value(login.token)
      : `${login.user}\n${Redacted.value(login.password)}`

/** The servers that a text names, or what is wrong with it, in words. What was given is not repeated: it may be a secret. */
export const serversOf = (text: string): NatsServers | string => {
  const parts = text.split(",").map((each) => each.trim())
  if (parts.length > NatsLimits.natsServers) return `name at most ${NatsLimits.natsServers} servers`
  const read = parts.map(addressOf)
  const problem = read.find((each) => typeof each === "string")
  if (problem !== undefined) return problem
  const addresses = read.filter((each) => typeof each !== "string")
  const logins = addresses.flatMap(({ login }) => (login === null ? [] : [login]))
  if (new Set(logins.map(secretOf)).size > 1) return "give all servers the same user and password, or the same token"
  if (new Set(addresses.map(({ tls }) => tls)).size > 1) return "use nats:// for all servers, or tls:// for all"
  return {
    servers: [...new Set(addresses.map(({ server }) => server))],
    tls: addresses.some(({ tls }) => tls),
    login: logins[0] ?? null
  }
}

/** The servers as people write them, without a login. */
export const serversText = ({ servers, tls }: NatsServers): string =>
  servers.map((server) => `${tls ? "tls" : "nats"}://${server}`).join(",")

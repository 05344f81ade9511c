/** Why NATS is not reached, in words that hold no login and no text of the server's. */
import {
  AuthorizationError,
  PermissionViolationError,
  TimeoutError,
  UserAuthenticationExpiredError
} from "@nats-io/transport-node"

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined

/** The code of Node's own errors, of this one or of what it came from. */
const codeOf = (cause: unknown): string => {
  const code = field(cause, "code") ?? field(field(cause, "cause"), "code")
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : ""
}

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ECONNRESET: "it ends the connection",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that host",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name of the host cannot be looked up",
  ETIMEDOUT: "it does not answer"
}

const otherName = "ERR_TLS_CERT_ALTNAME_INVALID"
const trust = /^(CERT_|DEPTH_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/

/** Facts of the client that have no code, by how its words begin. */
const byWords: ReadonlyArray<readonly [start: string, words: string]> = [
  ["server does not support 'tls'", "it has no TLS: use nats://, or turn it on there"],
  ["unexpected response from server", "what listens there is no NATS"],
  ["unable to parse credentials", "the file of PAWL_NOTICES_CREDENTIALS is none of NATS's credentials"]
]

/** What kept a connection from being made, or ended it. */
export const reasonOf = (cause: unknown): string => {
  if (cause instanceof UserAuthenticationExpiredError) return "the login has expired"
  if (cause instanceof AuthorizationError) return "it takes no such login (PAWL_NOTICES, PAWL_NOTICES_CREDENTIALS)"
  if (cause instanceof PermissionViolationError)
    return cause.operation === "publish" ? "the login may not publish there" : "the login may not subscribe there"
  if (cause instanceof TimeoutError) return "it does not answer"
  const code = codeOf(cause)
  if (code === otherName) return `its certificate is of another host (${code}): name the host as the certificate does`
  if (trust.test(code)) return `its certificate is not trusted (${code})`
  const known = byCode[code]
  if (known !== undefined) return known
  const message = cause instanceof Error ? cause.message : ""
  const [, words] = byWords.find(([start]) => message.startsWith(start)) ?? []
  if (words !== undefined) return words
  return code === "" ? "the connection was lost" : `it cannot be used (${code})`
}

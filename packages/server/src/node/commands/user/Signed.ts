/** Which server a verb asks, and as whom: what is named wins, then the environment, then the clone, then who is signed in. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gitConfig } from "./Git.ts"
import { addressFrom, type Environment, isLoopback, readHosts } from "./Hosts.ts"
import { exitCodes, Refused } from "./Refused.ts"

/** The address of the API. */
export const addressOf = (named: string | undefined, environment: Environment): string => {
  const given =
    named ?? (environment["PAWL_URL"] || undefined) ?? gitConfig("pawl.url") ?? readHosts(environment).current
  return addressFrom(given ?? `http://127.0.0.1:${environment["PAWL_PORT"] ?? "8787"}`)
}

/** On the server's own machine: its owner's token, for an address of this machine alone. */
const ownersToken = (address: string, environment: Environment): string | null => {
  if (!isLoopback(address)) return null
  try {
    return readFileSync(join(environment["PAWL_DATA"] || ".pawl", "owner-token"), "utf8").trim()
  } catch {
    return null
  }
}

/** The token for an address; null when there is none. */
export const tokenFor = (address: string, environment: Environment): string | null =>
  environment["PAWL_TOKEN"] || (readHosts(environment).hosts[address]?.token ?? ownersToken(address, environment))

/** The token for an address, or what to do to have one. */
export const demandToken = (address: string, environment: Environment): string => {
  const token = tokenFor(address, environment)
  if (token !== null && /^[\x21-\x7e]+$/.test(token)) return token
  const reason = token === null ? `nobody is signed in at ${address}` : "the token has characters that no token has"
  throw new Refused("not_signed_in", reason, exitCodes.notAllowed, [
    { command: `pawl login ${address} --token`, when: "you have a token" }
  ])
}

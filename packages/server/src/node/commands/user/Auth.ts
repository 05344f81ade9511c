/** `pawl auth`: the token, for a person's scripts and for git. */
import { readHosts } from "./Hosts.ts"
import { standardInput } from "./Person.ts"
import { misused } from "./Refused.ts"
import { addressOf, demandToken, tokenFor } from "./Signed.ts"
import type { Run } from "./Verb.ts"

/** Prints it: the one thing that is asked for. */
export const token: Run = async ({ environment, value }) => {
  const address = addressOf(value("url"), environment)
  const secret = demandToken(address, environment)
  return { json: { address, token: secret }, text: secret }
}

const originOf = (address: string): string => URL.parse(address)?.origin ?? ""

/**
 * As git's credential helpers speak. For a server that nobody is signed in at nothing is said, and git asks elsewhere.
 * What git would have kept or forgotten stays as `pawl login` left it.
 */
export const gitCredential: Run = async ({ environment, given: [operation = ""], json, value }) => {
  if (!["get", "store", "erase"].includes(operation))
    throw misused(`git asks with get, store or erase, not "${operation}"`)
  const nothing = { json: { operation }, text: "", written: !json }
  if (operation !== "get") return nothing
  const asked = new Map(
    (await standardInput())
      .split("\n")
      .map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)] as const)
  )
  const origin = originOf(`${asked.get("protocol") ?? ""}://${asked.get("host") ?? ""}`)
  const known = [addressOf(value("url"), environment), ...Object.keys(readHosts(environment).hosts)]
  const address = known.find((each) => originOf(each) === origin)
  const secret = address === undefined ? null : tokenFor(address, environment)
  if (secret === null || origin === "") return nothing
  return { json: { operation, username: "pawl", password: secret }, text: `username=pawl\npassword=${secret}` }
}

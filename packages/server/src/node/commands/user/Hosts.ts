/** Who is signed in where: `$XDG_CONFIG_HOME/pawl/hosts.json`, for its owner alone (0600). */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { exitCodes, Refused } from "./Refused.ts"

/** Somebody who is signed in. */
export interface SignedIn {
  readonly user: string
  readonly name: string
  readonly tokenId: string
  readonly token: string
}

/** The file: who is signed in by address, and which address is asked when none is named. */
export interface Hosts {
  readonly current: string | null
  readonly hosts: Readonly<Record<string, SignedIn>>
}

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where the file is. */
export const hostsPath = (environment: Environment): string =>
  join(environment["XDG_CONFIG_HOME"] || join(environment["HOME"] || homedir(), ".config"), "pawl", "hosts.json")

const isText = (value: unknown): value is string => typeof value === "string"

const isSignedIn = (value: unknown): value is SignedIn =>
  typeof value === "object" &&
  value !== null &&
  ["user", "name", "tokenId", "token"].every((key) => isText(Object.entries(value).find(([name]) => name === key)?.[1]))

const broken = (path: string, reason: string): Refused =>
  new Refused(
    "broken_hosts",
    `${path} cannot be used: ${reason}. Mend it, or delete it and sign in again.`,
    exitCodes.cannotAsk
  )

const decoded = (path: string, text: string): Hosts => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw broken(path, "it is not JSON")
  }
  if (typeof value !== "object" || value === null || !("hosts" in value)) throw broken(path, "it has no hosts")
  const { hosts } = value
  if (typeof hosts !== "object" || hosts === null) throw broken(path, "its hosts are no object")
  const entries: Array<[string, SignedIn]> = []
  for (const [address, each] of Object.entries(hosts)) {
    if (!isSignedIn(each)) throw broken(path, `of ${address} it has no user, name, tokenId and token`)
    entries.push([address, each])
  }
  const current = "current" in value && isText(value.current) ? value.current : null
  return { current, hosts: Object.fromEntries(entries) }
}

/** Reads the file; nobody is signed in where there is none. */
export const readHosts = (environment: Environment): Hosts => {
  const path = hostsPath(environment)
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { current: null, hosts: {} }
    throw broken(path, error instanceof Error ? error.message : String(error))
  }
  return decoded(path, text)
}

/** Puts the file in the place of the one before, whole or not at all. */
export const writeHosts = (environment: Environment, hosts: Hosts): void => {
  const path = hostsPath(environment)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fresh = `${path}.${process.pid}.new`
  try {
    writeFileSync(fresh, `${JSON.stringify(hosts, null, 2)}\n`, { mode: 0o600 })
    chmodSync(fresh, 0o600)
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw broken(path, error instanceof Error ? error.message : String(error))
  }
}

/** An address as it is kept: no slash at its end. Refuses what is no address of http. */
export const addressFrom = (given: string): string => {
  const url = URL.parse(/^[a-z]+:\/\//i.test(given) ? given : `https://${given}`)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new Refused("usage", `"${given}" is no address: give one such as https://pawl.example`, exitCodes.cannotAsk)
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

/** Whether an address is of this machine. */
export const isLoopback = (address: string): boolean => {
  const name = URL.parse(address)?.hostname ?? ""
  return name === "localhost" || name === "[::1]" || /^127(\.\d+){3}$/.test(name)
}

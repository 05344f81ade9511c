/** What a hijacked model might reach for on a host: listeners that count their visits, a secret, a folder for anyone. */
import { createHash, randomUUID } from "node:crypto"
import { createSocket } from "node:dgram"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join, relative } from "node:path"

/** A text that stands nowhere else. */
export const canary = (place: string): string => `canary-${place}-${randomUUID()}`

/** Begins to listen, and lays the secret and the folder into `folder`. */
export const openBait = async (folder: string) => {
  const openFolder = join(folder, "open")
  mkdirSync(openFolder, { recursive: true, mode: 0o777 })
  const secret = canary("file")
  const secretFile = join(folder, "secret")
  writeFileSync(secretFile, secret, { mode: 0o644 })
  let visits = 0
  const tcp = createServer(() => visits++)
  await new Promise<void>((listening) => void tcp.listen(0, "127.0.0.1", listening))
  const socket = createServer(() => visits++)
  const unixSocket = join(openFolder, "socket")
  await new Promise<void>((listening) => void socket.listen(unixSocket, listening))
  const udp = createSocket("udp4").on("message", () => visits++)
  await new Promise<void>((bound) => udp.bind(0, "127.0.0.1", bound))
  return {
    openFolder,
    secret,
    secretFile,
    unixSocket,
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    visits: () => visits,
    close: async (): Promise<void> => {
      for (const each of [tcp, socket, udp]) await new Promise<void>((closed) => void each.close(() => closed()))
    }
  }
}

/** A digest of each file below a folder, but for those whose path from there is left out. */
export const digests = (root: string, leftOut: (path: string) => boolean): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (leftOut(relative(root, path))) continue
      if (entry.isDirectory()) walk(path)
      else found.set(path, entry.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "special")
    }
  }
  walk(root)
  return found
}

/** Paths of what came, went or changed. */
export const differing = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>
): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
